/** The messages of Arrow's interprocess format, and the schema that each file begins with. */
import type { ColumnType } from '../column-type.ts'
import { type Field, FlatBuffer, type Place } from './flat-buffer.ts'

/** The fifth version of the metadata, which is that of all files since 2020. */
const version: Field = { size: 2, value: 4 }

export const schema = 1
export const recordBatch = 3

/** A message as it stands in a file, up to its body. */
export function writeMessage(flat: FlatBuffer, kind: number, header: Place, bodyLength: number): Buffer {
  const root = flat.table([version, { size: 1, value: kind }, { to: header }, { size: 8, value: bodyLength }])
  const metadata = flat.finish(root)
  const start = Buffer.alloc(8)
  start.writeUInt32LE(0xffffffff, 0)
  start.writeUInt32LE(metadata.length, 4)
  return Buffer.concat([start, metadata])
}

export function writeSchema(flat: FlatBuffer, names: readonly string[], types: readonly ColumnType[]): Place {
  const fields = names.map((name, i) => {
    const [kind, fieldsOfType] = typeTable(types[i]!)
    const type = flat.table(fieldsOfType)
    const children = flat.tables([])
    const isNullable: Field = { size: 1, value: 1 }
    return flat.table([
      { to: flat.text(name) },
      isNullable,
      { size: 1, value: kind },
      { to: type },
      null,
      { to: children },
    ])
  })
  return flat.table([{ size: 2, value: 0 }, { to: flat.tables(fields) }])
}

function typeTable(type: ColumnType): [kind: number, fields: Field[]] {
  switch (type) {
    case 'integer':
      return [
        2,
        [
          { size: 4, value: 64 },
          { size: 1, value: 1 },
        ],
      ]
    case 'double':
      return [3, [{ size: 2, value: 2 }]]
    case 'boolean':
      return [6, []]
    case 'text':
    case 'json':
      return [5, []]
  }
}

/** Where a batch stands in the file. */
export type Block = { readonly offset: number; readonly metadataLength: number; readonly bodyLength: number }

export function writeFooter(names: readonly string[], types: readonly ColumnType[], blocks: readonly Block[]): Buffer {
  const flat = new FlatBuffer()
  const structs = Buffer.alloc(24 * blocks.length)
  for (const [i, { offset, metadataLength, bodyLength }] of blocks.entries()) {
    structs.writeBigInt64LE(BigInt(offset), 24 * i)
    structs.writeInt32LE(metadataLength, 24 * i + 8)
    structs.writeBigInt64LE(BigInt(bodyLength), 24 * i + 16)
  }
  const fields = writeSchema(flat, names, types)
  const dictionaries = flat.structs(Buffer.alloc(0), 0)
  const batches = flat.structs(structs, blocks.length)
  return flat.finish(flat.table([version, { to: fields }, { to: dictionaries }, { to: batches }]))
}
