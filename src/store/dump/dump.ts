/** A dump: every row of a database at one moment, in the same format for both engines, to load into either. */
import { OperatorError } from '../../lib/failure.ts'

/** The three column types of the schema. */
export type ColumnType = 'number' | 'text' | 'bytes'

export type DumpTable = {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
}

/** The description of the rows, with tables ordered so that none refers to a later one. */
export type DumpHead = {
  readonly engine: 'sqlite' | 'postgres'
  /** The database's newest migration. */
  readonly schema: number
  readonly tables: readonly DumpTable[]
  /** The last id of each table that generates ids; ids of deleted rows are not reused. */
  readonly sequences: Readonly<Record<string, number>>
}

export type DumpSource = {
  readonly head: DumpHead
  /** Pieces of whole rows, in the format of `rows.ts`. */
  rows(table: DumpTable): AsyncIterable<Buffer>
}

/** Keeps its view of the database until it is closed. */
export type Snapshot = DumpSource & { close(): Promise<void> }

/** The target has its own schema history, and a hold belongs to the present backup. */
const leftOut = ['schema_migration', 'backup_hold']

export const isDumped = (table: string): boolean => !leftOut.includes(table)

/** Excludes orphaned rows: deleted data is in no backup, although it is deleted gradually. */
const condition: Readonly<Record<string, string>> = {
  dataset_chunk: 'dataset_id in (select id from dataset)',
  dataset_index: 'dataset_id is not null',
  dataset_index_entry: 'index_id in (select id from dataset_index where dataset_id is not null)',
}

export function selectRows(table: DumpTable, columns = listColumns(table)): string {
  const where = condition[table.name] ? ` where ${condition[table.name]}` : ''
  return `select ${columns} from ${quoteName(table.name)}${where}`
}

/** Orders tables after those they refer to. */
export function orderByReference(
  names: readonly string[],
  references: readonly { readonly from: string; readonly to: string }[],
): string[] {
  const ordered: string[] = []
  const left = new Set(names)
  while (left.size > 0) {
    const free = [...left].filter((name) =>
      references.every(({ from, to }) => from !== name || to === name || !left.has(to)),
    )
    if (free.length === 0) throw new Error(`These tables refer to each other in a circle: ${[...left].join(', ')}.`)
    for (const name of free.sort()) {
      ordered.push(name)
      left.delete(name)
    }
  }
  return ordered
}

const declared: Record<string, ColumnType> = {
  bigint: 'number',
  integer: 'number',
  text: 'text',
  blob: 'bytes',
  bytea: 'bytes',
}

export function readColumnType(table: string, column: string, type: string): ColumnType {
  const known = declared[type.toLowerCase()]
  if (known) return known
  throw new OperatorError(`The column ${table}.${column} is of the type ${type}, which a backup can not hold.`)
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const listColumns = ({ columns }: DumpTable): string => columns.map(({ name }) => quoteName(name)).join(', ')
