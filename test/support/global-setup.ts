/** Before the first test: one real PostgreSQL for all of them, and a database of each engine to copy; gone after the last. */
import { basename, join } from 'node:path'
import { hasCgroup } from './cgroup.ts'
import { makeDatabase, type TestDatabase } from './engines.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'

let postgres: PostgresServer | undefined
const templates: TestDatabase[] = []

export async function globalSetup(): Promise<void> {
  // Where the machine has no cgroup, executors are told to do without, and tests of exact limits are skipped by name.
  if (!(await hasCgroup())) process.env.GUILDHALL_EXECUTOR_WITHOUT = 'limits'
  postgres = await startPostgres()
  process.env.TEST_POSTGRES_URL = postgres.url
  const [sqlite, other] = await Promise.all([prepare('sqlite'), prepare('postgres')])
  process.env.TEST_SQLITE_TEMPLATE = join(sqlite.folder, 'guildhall.db')
  process.env.TEST_POSTGRES_TEMPLATE = basename(other.url!)
}

export async function globalTeardown(): Promise<void> {
  // A bench may set up and tear down more than once.
  await Promise.all(templates.splice(0).map(({ drop }) => drop()))
  await postgres?.stop()
}

async function prepare(engine: 'sqlite' | 'postgres'): Promise<TestDatabase> {
  const database = await makeDatabase(engine)
  templates.push(database)
  await (await database.open()).close()
  return database
}
