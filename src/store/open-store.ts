/** Opens the store that the settings name: PostgreSQL by its address, else SQLite in the data folder. */
import { join } from 'node:path'
import type { Log } from '../base/log.ts'
import { databaseFile } from './files/data-folder.ts'
import { probeSqlite } from './sqlite/database-file.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import type { Store } from './store.ts'

export type Place = {
  readonly databaseUrl: string | undefined
  readonly databaseConnections?: number
  readonly dataFolder: string
}

export async function openStore({ databaseUrl, databaseConnections, dataFolder }: Place, log: Log): Promise<Store> {
  if (!databaseUrl) return openSqlite(join(dataFolder, databaseFile), log)
  const { openPostgres } = await loadPostgres()
  return openPostgres(databaseUrl, log, databaseConnections)
}

/** Whether it answers, changing nothing: refuses with the reason. */
export async function probeStore({ databaseUrl, dataFolder }: Place): Promise<void> {
  if (databaseUrl) await (await loadPostgres()).probePostgres(databaseUrl)
  else probeSqlite(join(dataFolder, databaseFile))
}

/** The client is loaded where it is used: beside SQLite nobody needs it. */
const loadPostgres = () => import('./postgres/postgres.ts')
