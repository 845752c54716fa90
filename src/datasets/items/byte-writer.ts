/** A buffer that grows: the caller reserves room once a row, then writes without a check. */

import { release } from './memory.ts'

export class ByteWriter {
  bytes: Buffer
  /** The same bytes, to be written as words. */
  words: DataView
  length = 0

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(Math.max(capacity, 1024))
    this.words = wordsOf(this.bytes)
  }

  /** Makes room for this many more bytes. */
  reserve(count: number) {
    if (this.length + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count))
    this.bytes.copy(larger, 0, 0, this.length)
    release(this.bytes)
    this.bytes = larger
    this.words = wordsOf(larger)
  }

  addText(text: string) {
    this.reserve(text.length * 3)
    this.length += this.bytes.write(text, this.length)
  }

  /** Copies a few bytes in a loop: for so few, a call into native code takes longer than the copy. */
  addRange(source: Uint8Array, start: number, end: number) {
    const { bytes } = this
    let at = this.length
    for (let i = start; i < end; i++) bytes[at++] = source[i]!
    this.length = at
  }

  /** Answers the bytes in memory of their own and of exactly their size, so that they can be transferred to another thread. Ends the writer. */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.length)
    this.bytes.copy(taken, 0, 0, this.length)
    this.close()
    return taken
  }

  close() {
    release(this.bytes)
  }
}

const wordsOf = ({ buffer, byteOffset, byteLength }: Buffer) => new DataView(buffer, byteOffset, byteLength)
