/**
 * Rows as bytes, in the format of PostgreSQL's binary COPY (its manual, "COPY", Binary Format) without header and
 * trailer: the number of fields (16 bits), then each field's length (32 bits, -1 for null) and bytes. A number has 64
 * bits, big-endian; in old backups of PostgreSQL, made before all columns had 64, a few have 32.
 */
import type { ColumnType, DumpTable } from './dump.ts'

export type Value = number | string | Uint8Array | null

const noColumns: ReadonlySet<string> = new Set()

/** `narrow` names the columns whose numbers need 32 bits. */
export function encodeRow(values: readonly Value[], { name, columns }: DumpTable, narrow = noColumns): Buffer {
  const fields = columns.map((column, i) => encodeField(values[i] ?? null, column.type, name, narrow.has(column.name)))
  const row = Buffer.allocUnsafe(fields.reduce((length, field) => length + 4 + (field?.length ?? 0), 2))
  let at = row.writeInt16BE(fields.length, 0)
  for (const field of fields) {
    at = row.writeInt32BE(field?.length ?? -1, at)
    if (field) at += field.copy(row, at)
  }
  return row
}

function encodeField(value: Value, type: ColumnType, table: string, isNarrow: boolean): Buffer | undefined {
  if (value === null) return undefined
  if (type !== 'number') return typeof value === 'string' ? Buffer.from(value) : Buffer.from(value as Uint8Array)
  if (!Number.isSafeInteger(value)) throw new Error(`A number in the table ${table} is not whole.`)
  const field = Buffer.allocUnsafe(isNarrow ? 4 : 8)
  if (isNarrow) field.writeInt32BE(value as number)
  else field.writeBigInt64BE(BigInt(value as number))
  return field
}

/** The same rows, with some numbers as wide as the table's columns. */
export async function* narrowRows(
  pieces: AsyncIterable<Buffer>,
  table: DumpTable,
  narrow: ReadonlySet<string>,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces)
    yield Buffer.concat([...decodeRows(piece, table)].map((values) => encodeRow(values, table, narrow)))
}

/** Decodes a piece of whole rows. */
export function* decodeRows(piece: Buffer, { name, columns }: DumpTable): Generator<Value[]> {
  for (let at = 0; at < piece.length; ) {
    if (piece.readInt16BE(at) !== columns.length) throw new Error(`A row of the table ${name} is broken.`)
    at += 2
    const values: Value[] = []
    for (const { type } of columns) {
      const length = piece.readInt32BE(at)
      at += 4
      if (length > piece.length - at) throw new Error(`A row of the table ${name} is cut short.`)
      values.push(length < 0 ? null : decodeField(piece.subarray(at, at + length), type))
      at += Math.max(0, length)
    }
    yield values
  }
}

function decodeField(field: Buffer, type: ColumnType): Value {
  if (type === 'text') return field.toString('utf8')
  if (type === 'bytes') return field
  return field.length === 4 ? field.readInt32BE(0) : Number(field.readBigInt64BE(0))
}

const pieceBytes = 4 * 1024 * 1024

/** Joins rows to pieces of some megabytes, so that there are neither many small ones nor all at once. */
export async function* joinRows(rows: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let length = 0
  for await (const row of rows) {
    held.push(row)
    length += row.length
    if (length < pieceBytes) continue
    yield Buffer.concat(held)
    held = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(held)
}
