/** Streams a Parquet file: pages are gathered into row groups, column by column, and the footer tells where each is. */

import { demand } from '../../../../lib/failure.ts'
import type { ColumnType } from '../column-type.ts'
import type { ColumnarPart, ColumnarPlan } from '../columnar-part.ts'
import { encodeStruct, type Struct, type Thrift } from './thrift.ts'

/** A group is written once its pages reach this size, which is what an export holds in memory. */
const groupBytes = 16 * 1024 * 1024

/** The footer takes about 80 bytes for each column in every group, and stays in memory until the end. */
const maxFooterColumns = 1_000_000

/** Checked before the first byte with the items' size, which pages hardly exceed, and again as groups are written. */
export function demandFooterRoom(columns: number, bytes: number): void {
  demand(
    columns * Math.ceil(bytes / groupBytes) <= maxFooterColumns,
    'invalid',
    'invalid-value',
    'So many items have too many columns for one Parquet file: choose some with fields, or pages with offset and limit.',
  )
}

const magic = Buffer.from('PAR1')
const gzip = 2
const encodings: Thrift = { list: [{ i32: 0 }, { i32: 3 }] }

const physicalTypes: { readonly [type in ColumnType]: number } = { boolean: 0, integer: 2, double: 5, text: 6, json: 6 }

export async function* streamParquet(
  { names, types }: ColumnarPlan,
  parts: AsyncIterable<ColumnarPart>,
  targetBytes = groupBytes,
): AsyncGenerator<Buffer> {
  const groups: Buffer[] = []
  let [offset, rowCount] = [0, 0]
  let [held, heldBytes] = [[] as ColumnarPart[], 0]
  const note = (bytes: Buffer) => {
    offset += bytes.length
    return bytes
  }

  async function* writeGroup(): AsyncGenerator<Buffer> {
    const rows = held.reduce((sum, part) => sum + part.rowCount, 0)
    const places = held.map(() => 0)
    const columns: Buffer[] = []
    let [rawTotal, total] = [0, 0]
    const start = offset
    for (const [column, type] of types.entries()) {
      const begin = offset
      const pages = held.map(({ bytes, lengths }, i) => {
        const from = places[i]!
        places[i] = from + lengths[column]!
        return bytes.subarray(from, places[i])
      })
      const raw = held.reduce((sum, { rawLengths }) => sum + rawLengths[column]!, 0)
      const missing = held.reduce((sum, part) => sum + part.missing[column]!, 0)
      yield note(Buffer.concat(pages))
      columns.push(describeColumn(physicalTypes[type], names[column]!, { rows, raw, missing, begin, end: offset }))
      rawTotal += raw
      total += offset - begin
    }
    groups.push(
      encodeStruct([
        [1, { encoded: columns }],
        [2, { i64: rawTotal }],
        [3, { i64: rows }],
        [5, { i64: start }],
        [6, { i64: total }],
      ]),
    )
    demandFooterRoom(types.length, groups.length * groupBytes)
    rowCount += rows
    ;[held, heldBytes] = [[], 0]
  }

  yield note(magic)
  for await (const part of parts) {
    if (part.rowCount === 0) continue
    held.push(part)
    heldBytes += part.bytes.length
    if (heldBytes >= targetBytes) yield* writeGroup()
  }
  if (held.length > 0) yield* writeGroup()
  const footer = encodeStruct([
    [1, { i32: 2 }],
    [2, { encoded: describeSchema(names, types) }],
    [3, { i64: rowCount }],
    [4, { encoded: groups }],
    [6, { text: 'Guildhall' }],
  ])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.length)
  yield Buffer.concat([footer, length, magic])
}

type Extent = { rows: number; raw: number; missing: number; begin: number; end: number }

function describeColumn(type: number, name: string, { rows, raw, missing, begin, end }: Extent): Buffer {
  const metadata: Struct = [
    [1, { i32: type }],
    [2, encodings],
    [3, { list: [{ text: name }] }],
    [4, { i32: gzip }],
    [5, { i64: rows }],
    [6, { i64: raw }],
    [7, { i64: end - begin }],
    [9, { i64: begin }],
    [12, { struct: [[3, { i64: missing }]] }],
  ]
  return encodeStruct([
    [2, { i64: begin }],
    [3, { struct: metadata }],
  ])
}

function describeSchema(names: readonly string[], types: readonly ColumnType[]): Buffer[] {
  const root = encodeStruct([
    [4, { text: 'schema' }],
    [5, { i32: names.length }],
  ])
  const columns = names.map((name, i) => {
    const type = types[i]!
    const optional: Struct = [
      [1, { i32: physicalTypes[type] }],
      [3, { i32: 1 }],
      [4, { text: name }],
    ]
    // Readers recognize text by the older field or by the newer one.
    if (type === 'text') return encodeStruct([...optional, [6, { i32: 0 }], [10, { struct: [[1, { struct: [] }]] }]])
    if (type === 'json') return encodeStruct([...optional, [6, { i32: 19 }], [10, { struct: [[12, { struct: [] }]] }]])
    return encodeStruct(optional)
  })
  return [root, ...columns]
}
