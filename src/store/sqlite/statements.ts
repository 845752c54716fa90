/** Statements, prepared once and kept, with the tables that SQLite itself says each of them reads and writes. */
import { constants, type DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type MakeRow, makeRowMakers } from './rows.ts'

export type PreparedStatement = {
  readonly statement: StatementSync
  readonly returnsRows: boolean
  readonly reads: readonly string[]
  /** Those that triggers and cascading deletions change are among them. */
  readonly writes: readonly string[]
  readonly makeRow: MakeRow
}

export const readRows = <R>({ statement, makeRow }: PreparedStatement, values: readonly unknown[]): R[] =>
  (statement.all(...(values as SQLInputValue[])) as unknown as SQLInputValue[][]).map(makeRow) as R[]

/** Queries are few and fixed; lists of unknown length (`in (…)`) make the odd extra one. */
const maxPrepared = 1_000

const { SQLITE_OK, SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE } = constants
const writing: ReadonlySet<number> = new Set([SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE])

export function makeStatements(database: DatabaseSync): (sql: string) => PreparedStatement {
  const prepared = new Map<string, PreparedStatement>()
  const reads = new Set<string>()
  const writes = new Set<string>()
  const findRowMaker = makeRowMakers()
  // SQLite asks for permission for each table while it prepares a statement. All is permitted; the names are noted.
  database.setAuthorizer((action, table) => {
    if (action === SQLITE_READ) reads.add(table!)
    else if (writing.has(action)) writes.add(table!)
    return SQLITE_OK
  })

  function prepare(sql: string): PreparedStatement {
    reads.clear()
    writes.clear()
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    const columns = statement.columns().map(({ name }) => name)
    const makeRow = findRowMaker(columns)
    return { statement, returnsRows: columns.length > 0, reads: [...reads], writes: [...writes], makeRow }
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
