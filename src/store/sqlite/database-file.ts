/** The file of an SQLite database: is it ours, does it answer, is it sound, and a copy of it while it is in use. */
import { backup, DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../base/failure.ts'
import { demandKnown } from '../migrations/migrations.ts'

export const busyTimeoutMs = 10_000

/**
 * From a connection of its own that holds one moment's view: without it, each write of another process would begin the
 * copy anew, and under load it would never end.
 */
export async function copySqlite(path: string, target: string): Promise<void> {
  const source = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  try {
    source.exec('begin')
    source.prepare('select count(*) from sqlite_schema').get()
    await backup(source, target, { rate: 1_000 })
  } finally {
    source.close()
  }
}

export function probeSqlite(path: string): void {
  try {
    const connection = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
    demandOurs(connection)
    connection.close()
  } catch (error) {
    throw unopened(path, error)
  }
}

/** Whether a file is a whole database of ours that this code can serve: refuses it with the reason, changes nothing. */
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

/** Before anything is changed: a file of another program's would be left with our tables in it. */
export function demandOurs(connection: DatabaseSync): void {
  const names = connection.prepare("select name from sqlite_schema where type = 'table'").all()
  if (names.length === 0 || names.some(({ name }) => name === 'schema_migration')) return
  throw new Error('it was not made by Guildhall')
}

export const unopened = (path: string, error: unknown) =>
  new OperatorError(
    `The database ${path} can't be opened: ${(error as Error).message}. Check GUILDHALL_DATA, or restore a backup.`,
  )
