/** Before the first test: one real PostgreSQL for all of them, gone after the last. */
import { type PostgresServer, startPostgres } from './postgres.ts'

let postgres: PostgresServer | undefined

export async function globalSetup(): Promise<void> {
  postgres = await startPostgres()
  process.env.TEST_POSTGRES_URL = postgres.url
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
}
