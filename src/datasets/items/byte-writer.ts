/** A growing buffer: the caller reserves room once per row, then writes without checks. */

import { release } from './memory.ts'

export class ByteWriter {
  bytes: Buffer
  length = 0

  constructor(capacity: number) {
    this.bytes = takeSpare(capacity) ?? Buffer.allocUnsafe(Math.max(capacity, 1024))
  }

  /** Makes room for this many more bytes. */
  reserve(count: number) {
    if (this.length + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count))
    this.bytes.copy(larger, 0, 0, this.length)
    release(this.bytes)
    this.bytes = larger
  }

  addText(text: string) {
    this.reserve(text.length * 3)
    this.length += this.bytes.write(text, this.length)
  }

  addRange(source: Uint8Array, start: number, end: number) {
    this.length = copyRange(this.bytes, this.length, source, start, end)
  }

  /**
   * Answers the bytes in memory of their own and of exactly their size, so that they can be transferred to another
   * thread. Ends the writer.
   */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.length)
    this.bytes.copy(taken, 0, 0, this.length)
    this.close()
    return taken
  }

  close() {
    keepSpare(this.bytes)
    this.bytes = ended
  }
}

/**
 * Copies a few bytes in a loop, where room is reserved, and answers where they end: for so few, a call into native code
 * takes longer.
 */
export function copyBytes(into: Uint8Array, from: number, bytes: Uint8Array): number {
  let to = from
  for (let i = 0; i < bytes.length; i++) into[to++] = bytes[i]!
  return to
}

export function copyRange(into: Uint8Array, from: number, bytes: Uint8Array, start: number, end: number): number {
  let to = from
  for (let i = start; i < end; i++) into[to++] = bytes[i]!
  return to
}

/**
 * The memory of this thread's last writer, for the next: a fresh mebibyte costs a page fault for each of its pages,
 * which was a tenth of the time of rendering one.
 */
let spare: Buffer | null = null
const ended = Buffer.alloc(0)
const leastSpare = 256 * 1024
const mostSpare = 4 * 1024 * 1024

function takeSpare(capacity: number): Buffer | null {
  const taken = spare
  if (taken === null || capacity < leastSpare || capacity > taken.length) return null
  spare = null
  return taken
}

function keepSpare(bytes: Buffer): void {
  if (bytes.length < leastSpare || bytes.length > mostSpare || (spare && spare.length > bytes.length)) release(bytes)
  else {
    if (spare) release(spare)
    spare = bytes
  }
}
