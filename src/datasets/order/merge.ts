/** Merges one piece of sorted runs in a file: from where the last piece ended, up to a size worth sending. */
import { readSync } from 'node:fs'
import { headBytes } from './records.ts'

/** Sorted records in a file, from `start` to `end`. */
export type Run = { readonly start: number; readonly end: number }

export type MergePlan = {
  readonly fd: number
  readonly runs: readonly Run[]
  /** Keeps the first of records with equal `distinct` fields; `last` is the previous record's key. */
  readonly isDistinct: boolean
  readonly last: Uint8Array | null
  /** Whether to output the records' values instead of the records. */
  readonly isFinal: boolean
  /** Records to skip first, and records to take after them. */
  readonly skip: number
  readonly take: number
}

export type MergedPiece = {
  readonly bytes: Uint8Array
  readonly count: number
  readonly skipped: number
  readonly runs: readonly Run[]
  readonly last: Uint8Array | null
}

const pieceBytes = 1024 * 1024
const windowBytes = 2 * 1024 * 1024
const minWindow = 16 * 1024
/** Bytes of records per piece: skipped records take time as well. */
const walkedBytes = 4 * pieceBytes
/**
 * However slow the disk, a piece ends with the record after this time, so that the caller can check if it is wanted.
 */
const pieceMs = 500

export function mergePiece(
  { fd, runs, isDistinct, last, isFinal, skip, take }: MergePlan,
  now = () => performance.now(),
): MergedPiece {
  const endAt = now() + pieceMs
  const window = Math.max(minWindow, Math.floor(windowBytes / runs.length))
  const heads = runs.map((run) => new RunReader(fd, run, window)).filter((head) => head.next())
  const parts: Buffer[] = []
  let [length, count, skipped] = [0, 0, 0]
  let walked = 0
  let before = last
  while (heads.length > 0 && length < pieceBytes && walked < walkedBytes && count < take) {
    let least = 0
    for (let i = 1; i < heads.length; i++) if (Buffer.compare(heads[i]!.key, heads[least]!.key) < 0) least = i
    const head = heads[least]!
    const fields = isDistinct ? head.distinctPart() : null
    const isNew = fields === null || before === null || Buffer.compare(fields, before) !== 0
    if (isNew) {
      if (fields !== null) before = Buffer.from(fields)
      if (skipped < skip) skipped++
      else {
        const bytes = isFinal ? head.value() : head.record()
        parts.push(bytes)
        length += bytes.length
        count++
      }
    }
    walked += head.length
    if (!head.next()) heads.splice(least, 1)
    if (now() >= endAt) break
  }
  const rest = heads.map((head) => head.rest())
  return { bytes: Buffer.concat(parts), count, skipped, runs: count < take ? rest : [], last: before }
}

/** Reads a run record by record. Keys are short; a long value is read only when it is written. */
class RunReader {
  readonly #fd: number
  readonly #end: number
  readonly #window: number
  #bytes: Buffer = Buffer.alloc(0)
  #at: number
  #next: number
  #valueLength = 0
  key: Buffer = Buffer.alloc(0)

  constructor(fd: number, { start, end }: Run, window: number) {
    this.#fd = fd
    this.#end = end
    this.#window = window
    this.#at = start
    this.#next = start
  }

  /** Advances to the next record; false if there is none. */
  next(): boolean {
    this.#bytes = this.#bytes.subarray(this.#next - this.#at)
    this.#at = this.#next
    if (this.#at >= this.#end) return false
    this.#need(headBytes)
    const keyEnd = headBytes + this.#bytes.readUInt32LE(0)
    this.#valueLength = this.#bytes.readUInt32LE(4)
    this.#need(keyEnd)
    this.key = this.#bytes.subarray(headBytes, keyEnd)
    this.#next = this.#at + keyEnd + this.#valueLength
    return true
  }

  /** The key without the inner record's key at its end. */
  distinctPart(): Buffer {
    const start = headBytes + this.key.length
    const { length } = this.key
    return this.key.subarray(0, length - this.#slice(start, start + 4).readUInt32LE(0))
  }

  get length(): number {
    return this.#next - this.#at
  }

  value(): Buffer {
    return this.#slice(headBytes + this.key.length, this.#next - this.#at)
  }

  record(): Buffer {
    return this.#slice(0, this.#next - this.#at)
  }

  /** What is left, including the current record. */
  rest(): Run {
    return { start: this.#at, end: this.#end }
  }

  #slice(start: number, end: number): Buffer {
    if (end <= this.#bytes.length) return this.#bytes.subarray(start, end)
    return readAt(this.#fd, this.#at + start, end - start)
  }

  #need(length: number): void {
    if (length <= this.#bytes.length) return
    const size = Math.min(Math.max(this.#window, length), this.#end - this.#at)
    this.#bytes = readAt(this.#fd, this.#at, size)
  }
}

function readAt(fd: number, start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  for (let read = 0; read < length; ) {
    const count = readSync(fd, bytes, read, length - read, start + read)
    if (count === 0) throw new Error('A file of sorted items is shorter than it was written.')
    read += count
  }
  return bytes
}
