/** The two databases: each test of the store and of what stands on it runs over both. */
import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Log, makeLog } from '../../src/lib/log.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { startTcpProxy, type TcpProxy, targetOf, viaProxy } from './tcp-proxy.ts'

export const engines = ['sqlite', 'postgres'] as const
/**
 * For what does not depend on the engine but by its queries: those of every route are run on the one by the table of
 * rights and on the other by the published schemas (`forge/access-table`, `forge/openapi`), and at random on both (`fuzz/`).
 */
export const oneEngine = ['sqlite'] as const

export type Engine = (typeof engines)[number]

/** A database of its own: where it is, how to open it (again), and how to be rid of it. */
export type TestDatabase = {
  readonly folder: string
  /** PostgreSQL's address; undefined on SQLite, whose file lies in the folder. */
  readonly url: string | undefined
  open(log?: Log): Promise<Store>
  drop(): Promise<void>
}

export const silentLog = makeLog('silent')

export const makeDatabase = (engine: Engine): Promise<TestDatabase> => makeDatabaseFrom(engine, undefined)

/**
 * One whose tables are there already, as after a first start: a copy of those that the run was prepared with. To make the
 * tables anew takes half a second of processor time on PostgreSQL, and tests want some 200 of them.
 */
export function makeMigratedDatabase(engine: Engine): Promise<TestDatabase> {
  const { TEST_POSTGRES_TEMPLATE, TEST_SQLITE_TEMPLATE } = process.env
  return makeDatabaseFrom(engine, engine === 'sqlite' ? TEST_SQLITE_TEMPLATE : TEST_POSTGRES_TEMPLATE)
}

async function makeDatabaseFrom(engine: Engine, template: string | undefined): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-test-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  if (engine === 'sqlite') {
    if (template) await copyFile(template, join(folder, 'guildhall.db'))
    return { folder, url: undefined, open: () => openSqlite(join(folder, 'guildhall.db')), drop: removeFolder }
  }
  const name = `t_${randomBytes(8).toString('hex')}`
  // The usual strategy logs every page of the template, which takes three to six times the processor time.
  await asAdmin(`create database ${name}${template ? ` template ${template} strategy file_copy` : ''}`)
  const url = `${serverUrl()}/${name}`
  return {
    folder,
    url,
    open: (log = silentLog) => openPostgres(url, log),
    drop: async () => {
      await asAdmin(`drop database ${name} with (force)`)
      await removeFolder()
    },
  }
}

/** The same database by way of a proxy, which can be cut; to be closed with it. */
export async function interposeProxy(database: TestDatabase): Promise<TestDatabase & { readonly proxy: TcpProxy }> {
  const proxy = await startTcpProxy(targetOf(database.url!))
  const url = viaProxy(database.url!, proxy)
  return {
    folder: database.folder,
    url,
    proxy,
    open: (log = silentLog) => openPostgres(url, log),
    drop: async () => {
      await proxy.close()
      await database.drop()
    },
  }
}

function serverUrl(): string {
  const url = process.env.TEST_POSTGRES_URL
  if (!url) throw new Error('Run tests with `npm test -- NAME`: it starts the PostgreSQL they need.')
  return url
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client(`${serverUrl()}/postgres`)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
