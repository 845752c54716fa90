/** A page of Parquet: the values of one column in a few rows, with a bit per row for presence. */
import { constants, gzipSync } from 'node:zlib'
import { ByteWriter } from '../../../items/byte-writer.ts'
import type { ColumnType } from '../column-type.ts'
import { Bits, type ColumnWriter, writeNumber, writeText } from '../column-values.ts'
import { encodeStruct, varint } from './thrift.ts'

/** The page as in the file, and its length without compression; both include the header. */
export type Page = { readonly bytes: Buffer; readonly rawLength: number; readonly missing: number }

const plain = 0
const runLengths = 3

export class PageWriter implements ColumnWriter {
  readonly #type: ColumnType
  readonly #present = new Bits()
  readonly #flags = new Bits()
  readonly #values = new ByteWriter(0)
  #missing = 0

  constructor(type: ColumnType) {
    this.#type = type
  }

  add(bytes: Buffer, start: number, end: number): void {
    this.#present.add(true)
    const values = this.#values
    if (this.#type === 'boolean') {
      this.#flags.add(bytes[start] === 0x74)
      return
    }
    values.reserve(end - start + 8)
    if (this.#type === 'integer' || this.#type === 'double') {
      writeNumber(values.bytes, values.length, this.#type === 'double', bytes.toString('latin1', start, end))
      values.length += 8
      return
    }
    const length = writeText(values.bytes, values.length + 4, this.#type, bytes, start, end)
    values.bytes.writeUInt32LE(length, values.length)
    values.length += 4 + length
  }

  addMissing(): void {
    this.#present.add(false)
    this.#missing++
  }

  finish(): Page {
    const values = this.#type === 'boolean' ? this.#flags.bytes() : this.#values.bytes.subarray(0, this.#values.length)
    const raw = Buffer.concat([this.#levels(), values])
    const packed = gzipSync(raw, { level: constants.Z_BEST_SPEED })
    this.#values.close()
    const header = encodeStruct([
      [1, { i32: 0 }],
      [2, { i32: raw.length }],
      [3, { i32: packed.length }],
      [
        5,
        {
          struct: [
            [1, { i32: this.#present.length }],
            [2, { i32: plain }],
            [3, { i32: runLengths }],
            [4, { i32: runLengths }],
          ],
        },
      ],
    ])
    return {
      bytes: Buffer.concat([header, packed]),
      rawLength: header.length + raw.length,
      missing: this.#missing,
    }
  }

  /** The definition levels: one run if all values are present or all missing, else a bit each. */
  #levels(): Buffer {
    const { length } = this.#present
    const isEven = this.#missing === 0 || this.#missing === length
    const bits = this.#present.bytes()
    const levels = isEven
      ? Buffer.concat([varint(length * 2), Buffer.from([this.#missing === 0 ? 1 : 0])])
      : Buffer.concat([varint(bits.length * 2 + 1), bits])
    const size = Buffer.alloc(4)
    size.writeUInt32LE(levels.length)
    return Buffer.concat([size, levels])
  }
}
