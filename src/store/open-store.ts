/** Opens the store of the settings: PostgreSQL by its address, otherwise SQLite in the data folder. */
import { join } from 'node:path'
import type { Log } from '../lib/log.ts'
import { databaseFile } from './files/data-folder.ts'
import type { Db } from './schema/schema.ts'
import { probeSqlite } from './sqlite/database-file.ts'
import { readSqliteSnapshot } from './sqlite/snapshot.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import type { Probe, Store } from './store.ts'

export type StoreLocation = {
  readonly databaseUrl: string | undefined
  readonly databaseConnections?: number
  readonly dataFolder: string
}

export async function openStore(
  { databaseUrl, databaseConnections, dataFolder }: StoreLocation,
  log: Log,
): Promise<Store> {
  if (!databaseUrl) return openSqlite(join(dataFolder, databaseFile), log)
  const { openPostgres } = await importPostgres()
  return openPostgres(databaseUrl, log, databaseConnections)
}

/** Checks whether it answers, without changes; throws the reason if not. */
export async function probeStore({ databaseUrl, dataFolder }: StoreLocation): Promise<Probe> {
  if (databaseUrl) return (await importPostgres()).probePostgres(databaseUrl)
  return { tables: probeSqlite(join(dataFolder, databaseFile)), isReadOnly: false }
}

/** Reads of one moment from a store that is not opened, and so not migrated. */
export async function readStore<T>(
  { databaseUrl, dataFolder }: StoreLocation,
  read: (db: Db) => Promise<T>,
): Promise<T> {
  if (!databaseUrl) return readSqliteSnapshot(join(dataFolder, databaseFile), read)
  const { readPostgresOnce } = await importPostgres()
  return readPostgresOnce(databaseUrl, read)
}

/** Loaded only if it is used: with SQLite nobody needs the client. */
const importPostgres = () => import('./postgres/postgres.ts')
