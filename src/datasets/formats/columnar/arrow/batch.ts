/** A record batch of Arrow: for each column the bits that tell which values are there, and the values in slots of one size. */
import { ByteWriter } from '../../../items/byte-writer.ts'
import type { ColumnType } from '../column-type.ts'
import { Bits, type ColumnWriter, writeNumber, writeText } from '../column-values.ts'
import type { ColumnarPart } from '../columnar-part.ts'
import { FlatBuffer } from './flat-buffer.ts'
import { recordBatch, writeMessage } from './message.ts'

export class BatchColumn implements ColumnWriter {
  readonly #type: ColumnType
  readonly #present = new Bits()
  readonly #flags = new Bits()
  readonly #values = new ByteWriter(0)
  /** Of text: where each ends, after a zero. */
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

  /** In the order of the format: the bits, the ends of texts, the values. */
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

export function writeBatch(columns: readonly BatchColumn[], rowCount: number): ColumnarPart {
  const nodes = Buffer.alloc(16 * columns.length)
  const places: Buffer[] = []
  const body: Buffer[] = []
  let bodyLength = 0
  for (const [i, column] of columns.entries()) {
    nodes.writeBigInt64LE(BigInt(rowCount), 16 * i)
    nodes.writeBigInt64LE(BigInt(column.missing), 16 * i + 8)
    for (const bytes of column.buffers()) {
      const place = Buffer.alloc(16)
      place.writeBigInt64LE(BigInt(bodyLength), 0)
      place.writeBigInt64LE(BigInt(bytes.length), 8)
      places.push(place)
      const padding = -bytes.length & 7
      body.push(bytes, Buffer.alloc(padding))
      bodyLength += bytes.length + padding
    }
  }
  const flat = new FlatBuffer()
  const header = flat.table([
    { size: 8, value: rowCount },
    { to: flat.structs(nodes, columns.length) },
    { to: flat.structs(Buffer.concat(places), places.length) },
  ])
  const metadata = writeMessage(flat, recordBatch, header, bodyLength)
  return {
    rowCount,
    bytes: Buffer.concat([metadata, ...body]),
    lengths: [metadata.length, bodyLength],
    rawLengths: [],
    missing: [],
  }
}
