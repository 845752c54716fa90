/** The part of Thrift's compact protocol that Parquet's metadata needs. */

/** A field's value with its wire type. */
export type Thrift =
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly text: string }
  | { readonly struct: Struct }
  | { readonly list: readonly Thrift[] }
  /** A list whose elements were encoded already, each by `encodeStruct`. */
  | { readonly encoded: readonly Buffer[] }

/** Fields by number, ascending. */
export type Struct = readonly (readonly [id: number, value: Thrift])[]

const structType = 12
const typeOf = (value: Thrift): number => {
  if ('i32' in value) return 5
  if ('i64' in value) return 6
  if ('text' in value) return 8
  return 'struct' in value ? structType : 9
}

export function encodeStruct(fields: Struct): Buffer {
  const parts: Buffer[] = []
  let last = 0
  for (const [id, value] of fields) {
    parts.push(Buffer.from([((id - last) << 4) | typeOf(value)]), encode(value))
    last = id
  }
  return Buffer.concat([...parts, Buffer.from([0])])
}

function encode(value: Thrift): Buffer {
  if ('i32' in value) return zigzag(value.i32)
  if ('i64' in value) return zigzag(value.i64)
  if ('text' in value) return Buffer.concat([varint(Buffer.byteLength(value.text)), Buffer.from(value.text)])
  if ('struct' in value) return encodeStruct(value.struct)
  if ('encoded' in value) return Buffer.concat([listStart(value.encoded.length, structType), ...value.encoded])
  const type = value.list[0] ? typeOf(value.list[0]) : structType
  return Buffer.concat([listStart(value.list.length, type), ...value.list.map(encode)])
}

const listStart = (length: number, type: number): Buffer =>
  length < 15 ? Buffer.from([(length << 4) | type]) : Buffer.concat([Buffer.from([0xf0 | type]), varint(length)])

/** Our numbers are never negative, nor too long for a double. */
const zigzag = (value: number): Buffer => varint(value * 2)

export function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}
