/** The values of a column in columnar files: bits for presence, numbers in eight bytes, text without quotes. */
import { decodeName } from '../../items/field-names.ts'
import type { ColumnType } from './column-type.ts'

/** Takes the cells of one column, row after row. */
export interface ColumnWriter {
  add(bytes: Buffer, start: number, end: number): void
  /** For a null, or an absent field. */
  addMissing(): void
}

/** One bit per row, the lowest bit first. */
export class Bits {
  #bytes = Buffer.alloc(16)
  length = 0

  add(isSet: boolean): void {
    const at = this.length >> 3
    if (at >= this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)])
    if (isSet) this.#bytes[at]! |= 1 << (this.length & 7)
    this.length++
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, (this.length + 7) >> 3)
  }
}

/** Writes an integer or a double in eight bytes, little-endian. */
export function writeNumber(to: Buffer, at: number, isDouble: boolean, json: string): void {
  if (isDouble) to.writeDoubleLE(Number(json), at)
  else if (json.length <= 15) writeSafeInteger(to, at, Number(json))
  else to.writeBigInt64LE(BigInt(json), at)
}

/** Avoids `BigInt`, which most numbers do not need. */
function writeSafeInteger(to: Buffer, at: number, value: number): void {
  const high = Math.floor(value / 0x1_0000_0000)
  to.writeUInt32LE(value - high * 0x1_0000_0000, at)
  to.writeInt32LE(high, at + 4)
}

/** Writes a value as text and answers its length, which is never more than its JSON's. */
export function writeText(to: Buffer, at: number, type: ColumnType, bytes: Buffer, start: number, end: number): number {
  if (type === 'json' || bytes[start] !== 0x22) return bytes.copy(to, at, start, end)
  const inner = bytes.subarray(start + 1, end - 1)
  return inner.includes(0x5c) ? to.write(decodeName(inner), at) : inner.copy(to, at)
}
