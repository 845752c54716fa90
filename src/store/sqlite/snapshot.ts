/** Reads of one moment: a read-only connection whose transaction sees the database as it was when it began. */
import { DatabaseSync } from 'node:sqlite'
import type { Db } from '../schema/schema.ts'
import { busyTimeoutMs } from './database-file.ts'
import { makeSqliteDb } from './dialect.ts'

export async function readSqliteSnapshot<T>(path: string, read: (db: Db) => Promise<T>): Promise<T> {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  try {
    // SQLite takes its snapshot with the first read, not with `begin`.
    connection.exec('begin; select number from schema_migration limit 1')
    return await read(makeSqliteDb(connection))
  } finally {
    connection.close()
  }
}
