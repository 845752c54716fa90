/** The file of an SQLite database: whether it is ours, answers, and is sound. */
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/failure.ts'
import { demandKnown } from '../migrations/migrations.ts'

export const busyTimeoutMs = 10_000

/** Returns the names of its tables. */
export function probeSqlite(path: string): Set<string> {
  let connection: DatabaseSync | undefined
  try {
    connection = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
    return demandOurs(connection)
  } catch (error) {
    throw unopened(path, error)
  } finally {
    connection?.close()
  }
}

/** Refuses, with the reason, a file that is no complete database of ours that this code can serve. Changes nothing. */
export function verifySqlite(path: string): void {
  let connection: DatabaseSync | undefined
  try {
    connection = new DatabaseSync(path, { timeout: busyTimeoutMs })
    demandOurs(connection)
    const [found] = connection.prepare('pragma integrity_check(1)').all()
    if (found?.integrity_check !== 'ok') throw new Error(String(found?.integrity_check))
    demandKnown(connection.prepare('select number from schema_migration').all() as { number: number }[])
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`The database ${path} is not sound: ${(error as Error).message}.`)
  } finally {
    connection?.close()
  }
}

/** Checked before any change: another program's file would otherwise get our tables. Returns the names of ours. */
export function demandOurs(connection: DatabaseSync): Set<string> {
  const rows = connection.prepare("select name from sqlite_schema where type = 'table'").all()
  const names = new Set(rows.map(({ name }) => String(name)))
  if (names.size === 0 || names.has('schema_migration')) return names
  throw new Error('it was not made by Guildhall')
}

export const unopened = (path: string, error: unknown) =>
  new OperatorError(
    `The database ${path} can't be opened: ${(error as Error).message}. Check GUILDHALL_DATA, or restore a backup.`,
  )
