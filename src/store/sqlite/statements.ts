/** Statements, prepared once and kept, with the tables that each writes according to SQLite. */
import { constants, type DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

export type PreparedStatement = {
  readonly statement: StatementSync
  readonly returnsRows: boolean
  /** Includes those changed by triggers and cascading deletions. */
  readonly writes: readonly string[]
}

export const readRows = <R>({ statement }: PreparedStatement, values: readonly unknown[]): R[] =>
  statement.all(...(values as SQLInputValue[])) as R[]

/** Queries are few and fixed; lists of unknown length (`in (…)`) add some. */
const maxPrepared = 1_000

const { SQLITE_OK, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE } = constants
const writing: ReadonlySet<number> = new Set([SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE])

export function makeStatements(database: DatabaseSync): (sql: string) => PreparedStatement {
  const prepared = new Map<string, PreparedStatement>()
  const writes = new Set<string>()
  // SQLite asks for permission for each table while it prepares a statement. Everything is permitted; the names are
  // recorded.
  database.setAuthorizer((action, table) => {
    if (writing.has(action)) writes.add(table!)
    return SQLITE_OK
  })

  function prepare(sql: string): PreparedStatement {
    writes.clear()
    const statement = database.prepare(sql)
    return { statement, returnsRows: statement.columns().length > 0, writes: [...writes] }
  }

  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
    const fresh = prepare(sql)
    if (prepared.size >= maxPrepared) prepared.delete(prepared.keys().next().value!)
    prepared.set(sql, fresh)
    return fresh
  }
}
