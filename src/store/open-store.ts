/** Opens the store that the settings name: PostgreSQL by its address, else SQLite in the data folder. */
import { join } from 'node:path'
import type { Log } from '../base/log.ts'
import { databaseFile } from './files/data-folder.ts'
import { openPostgres, probePostgres } from './postgres/postgres.ts'
import { probeSqlite } from './sqlite/database-file.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import type { Store } from './store.ts'

export type Place = {
  readonly databaseUrl: string | undefined
  readonly databaseConnections?: number
  readonly dataFolder: string
}

export function openStore({ databaseUrl, databaseConnections, dataFolder }: Place, log: Log): Promise<Store> {
  return databaseUrl
    ? openPostgres(databaseUrl, log, databaseConnections)
    : openSqlite(join(dataFolder, databaseFile), log)
}

/** Whether it answers, changing nothing: refuses with the reason. */
export async function probeStore({ databaseUrl, dataFolder }: Place): Promise<void> {
  if (databaseUrl) await probePostgres(databaseUrl)
  else probeSqlite(join(dataFolder, databaseFile))
}
