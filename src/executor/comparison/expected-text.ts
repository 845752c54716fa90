/** The expected output, read byte by byte in chunks, with its current line available. */
import { type Excerpt, makeExcerpt } from './excerpt.ts'

/** Returns the next chunk of the expected output, empty at its end. */
export type ExpectedSource = () => Uint8Array

export const endOfText = -1
const nothing = new Uint8Array(0)

export class ExpectedText {
  bytes: Uint8Array = nothing
  at = 0
  readonly #read: ExpectedSource
  readonly #excerpt: Excerpt = makeExcerpt()
  #isOver = false
  /** The length of all earlier chunks. */
  #passed = 0

  constructor(read: ExpectedSource) {
    this.#read = read
  }

  /** Returns the next byte without consuming it; `at++` consumes it. */
  peek(): number {
    if (this.at === this.bytes.length && !this.#isOver) {
      this.#excerpt.pass(this.bytes)
      this.#passed += this.bytes.length
      this.bytes = this.#read()
      this.at = 0
      this.#isOver = this.bytes.length === 0
    }
    return this.#isOver ? endOfText : this.bytes[this.at]!
  }

  /** The offset of `at` in the whole text, valid until it is quoted. */
  get position(): number {
    return this.#passed + this.at
  }

  /** The text around this place. */
  quote(): string {
    this.#excerpt.pass(this.bytes.subarray(0, this.at))
    this.#excerpt.stop()
    // Drops bytes already passed to the excerpt, since `peek` would pass them again.
    this.bytes = this.bytes.subarray(this.at)
    this.at = 0
    while (this.peek() !== endOfText && !this.#excerpt.isFull()) {
      this.#excerpt.pass(this.bytes)
      this.bytes = nothing
    }
    return this.#excerpt.toText()
  }
}

/** The length of the common prefix. Compares everything at once first, since most outputs are right. */
export function sameLength(one: Uint8Array, from: number, { bytes, at }: ExpectedText): number {
  const length = Math.min(one.length - from, bytes.length - at)
  if (length === 0) return 0
  if (Buffer.compare(one.subarray(from, from + length), bytes.subarray(at, at + length)) === 0) return length
  let i = 0
  while (i < length && one[from + i] === bytes[at + i]) i++
  return i
}
