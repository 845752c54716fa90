/** The rows of an SQLite file: read at one moment while others write, and loaded into a new file. */
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/failure.ts'
import {
  type DumpSource,
  type DumpTable,
  isDumped,
  listColumns,
  orderByReference,
  quoteName,
  readColumnType,
  type Snapshot,
  selectRows,
} from '../dump/dump.ts'
import { decodeRows, encodeRow, joinRows, type Value } from '../dump/rows.ts'
import { migrate } from '../migrations/migrations.ts'
import { busyTimeoutMs } from './database-file.ts'
import { shrinkable } from './space.ts'
import { makeSqlitePort } from './sqlite.ts'

export function openSqliteSnapshot(path: string): Snapshot {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  connection.exec('begin')
  const names = listTables(connection)
  const references = names.flatMap((from) =>
    connection
      .prepare(`pragma foreign_key_list(${quoteName(from)})`)
      .all()
      .map(({ table }) => ({ from, to: String(table) })),
  )
  const tables = orderByReference(names, references).map((name): DumpTable => {
    const columns = connection.prepare(`pragma table_info(${quoteName(name)})`).all()
    return {
      name,
      columns: columns.map((column) => ({
        name: String(column.name),
        type: readColumnType(name, String(column.name), String(column.type)),
      })),
    }
  })
  const given = connection.prepare('select name, seq from sqlite_sequence').all()
  const newest = connection.prepare('select max(number) as schema from schema_migration').get()
  // SQLite records 0 for a table without inserts.
  const used = given.filter(({ seq }) => Number(seq) > 0)
  const sequences = Object.fromEntries(used.map(({ name, seq }) => [String(name), Number(seq)]))

  function* readRows(table: DumpTable): Generator<Buffer> {
    const statement = connection.prepare(selectRows(table))
    statement.setReturnArrays(true)
    for (const values of statement.iterate()) yield encodeRow(values as unknown as Value[], table)
  }

  return {
    head: { engine: 'sqlite', schema: Number(newest?.schema), tables, sequences },
    rows: (table) => joinRows(readRows(table)),
    close: async () => connection.close(),
  }
}

/** Loads into a new file. An interrupted load leaves an incomplete file, which the caller deletes. */
export async function loadSqlite(path: string, source: DumpSource): Promise<void> {
  const connection = new DatabaseSync(path)
  try {
    connection.exec(shrinkable)
    connection.exec('pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off; begin')
    const port = makeSqlitePort(connection)
    await migrate(port, source.head.schema)
    const known = listTables(connection)
    const triggers = connection.prepare("select name, sql from sqlite_schema where type = 'trigger'").all()
    // Their counts are already in the rows.
    for (const { name } of triggers) connection.exec(`drop trigger ${quoteName(String(name))}`)
    for (const name of known) connection.exec(`delete from ${quoteName(name)}`)
    for (const table of source.head.tables) {
      if (!known.includes(table.name)) throw new OperatorError(`There is no table ${table.name} to bring back.`)
      const places = table.columns.map(() => '?').join(', ')
      const into = connection.prepare(`insert into ${quoteName(table.name)} (${listColumns(table)}) values (${places})`)
      for await (const piece of source.rows(table)) for (const values of decodeRows(piece, table)) into.run(...values)
    }
    for (const { sql } of triggers) connection.exec(String(sql))
    connection.exec('delete from sqlite_sequence')
    const giveFrom = connection.prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
    for (const [name, last] of Object.entries(source.head.sequences)) giveFrom.run(name, last)
    const stray = connection.prepare('pragma foreign_key_check').get()
    if (stray) throw new OperatorError(`A row of ${stray.table} refers to one that is not in the backup.`)
    await migrate(port)
    connection.exec('commit; pragma synchronous = full; pragma user_version = 0')
  } finally {
    connection.close()
  }
}

const listTables = (connection: DatabaseSync): string[] =>
  connection
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite~_%' escape '~'")
    .all()
    .map(({ name }) => String(name))
    .filter(isDumped)
