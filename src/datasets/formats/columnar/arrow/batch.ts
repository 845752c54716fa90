/** A record batch of Arrow: for each column a bitmap of present values, and the values in slots of fixed size. */
import { ByteWriter } from '../../../items/byte-writer.ts'
import type { ColumnType } from '../column-type.ts'
import { Bits, type ColumnWriter, writeNumber, writeText } from '../column-values.ts'
import type { ColumnarPart } from '../columnar-part.ts'
import { padding } from './stream.ts'

export class BatchColumn implements ColumnWriter {
  readonly #type: ColumnType
  readonly #present = new Bits()
  readonly #flags = new Bits()
  readonly #values = new ByteWriter(0)
  /** For text: the end of each value, after an initial zero. */
  readonly #ends = new ByteWriter(0)
  missing = 0

  constructor(type: ColumnType) {
    this.#type = type
    if (this.#isText) this.#noteEnd()
  }

  get #isText() {
    return this.#type === 'text' || this.#type === 'json'
  }

  add(bytes: Buffer, start: number, end: number): void {
    this.#present.add(true)
    const values = this.#values
    if (this.#type === 'boolean') {
      this.#flags.add(bytes[start] === 0x74)
      return
    }
    values.reserve(end - start + 8)
    if (this.#isText) {
      values.length += writeText(values.bytes, values.length, this.#type, bytes, start, end)
      this.#noteEnd()
    } else {
      writeNumber(values.bytes, values.length, this.#type === 'double', bytes.toString('latin1', start, end))
      values.length += 8
    }
  }

  addMissing(): void {
    this.missing++
    this.#present.add(false)
    if (this.#type === 'boolean') this.#flags.add(false)
    else if (this.#isText) this.#noteEnd()
    else {
      this.#values.reserve(8)
      this.#values.bytes.fill(0, this.#values.length, this.#values.length + 8)
      this.#values.length += 8
    }
  }

  /** In the format's order: the bitmap, the ends of texts, the values. */
  buffers(): Buffer[] {
    const present = this.#present.bytes()
    if (this.#type === 'boolean') return [present, this.#flags.bytes()]
    const values = this.#values.bytes.subarray(0, this.#values.length)
    return this.#isText ? [present, this.#ends.bytes.subarray(0, this.#ends.length), values] : [present, values]
  }

  #noteEnd(): void {
    this.#ends.reserve(4)
    this.#ends.bytes.writeInt32LE(this.#values.length, this.#ends.length)
    this.#ends.length += 4
  }
}

/** The buffers of all columns, concatenated. */
export function writeBatch(columns: readonly BatchColumn[], rowCount: number): ColumnarPart {
  const buffers = columns.flatMap((column) => column.buffers())
  const parts = buffers.flatMap((bytes) => [bytes, Buffer.alloc(padding(bytes.length))])
  return {
    rowCount,
    bytes: joinAligned(parts),
    lengths: buffers.map(({ length }) => length),
    rawLengths: [],
    missing: columns.map(({ missing }) => missing),
  }
}

/** In memory of its own, so that views of eight-byte values are aligned. */
function joinAligned(parts: readonly Buffer[]): Buffer {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) at += part.copy(joined, at)
  return joined
}
