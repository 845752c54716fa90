/** The expected output as a comparison reads it: byte after byte, chunk by chunk, with the line it is in at hand. */
import { type Excerpt, makeExcerpt } from './excerpt.ts'

/** Answers the next chunk of the expected output, and an empty one at its end. */
export type ExpectedSource = () => Uint8Array

export const endOfText = -1
const nothing = new Uint8Array(0)

export class ExpectedText {
  bytes: Uint8Array = nothing
  at = 0
  readonly #read: ExpectedSource
  readonly #excerpt: Excerpt = makeExcerpt()
  #isOver = false
  /** Bytes of the chunks before this one. */
  #passed = 0

  constructor(read: ExpectedSource) {
    this.#read = read
  }

  /** The next byte, which `at++` passes. */
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

  /** Where `at` is in the whole text, until it is quoted. */
  get position(): number {
    return this.#passed + this.at
  }

  /** What it says around this place. */
  quote(): string {
    this.#excerpt.pass(this.bytes.subarray(0, this.at))
    this.#excerpt.stop()
    // What has passed once is forgotten, since `peek` would pass it again.
    this.bytes = this.bytes.subarray(this.at)
    this.at = 0
    while (this.peek() !== endOfText && !this.#excerpt.isFull()) {
      this.#excerpt.pass(this.bytes)
      this.bytes = nothing
    }
    return this.#excerpt.toText()
  }
}

/** How many bytes of the two agree from here on. The whole rest is compared first, since most output is right. */
export function sameLength(one: Uint8Array, from: number, { bytes, at }: ExpectedText): number {
  const length = Math.min(one.length - from, bytes.length - at)
  if (length === 0) return 0
  if (Buffer.compare(one.subarray(from, from + length), bytes.subarray(at, at + length)) === 0) return length
  let i = 0
  while (i < length && one[from + i] === bytes[at + i]) i++
  return i
}
