/**
 * Walks a JSON text to any depth, by the offsets of its values. Skipping a value means searching for its end, and
 * walking down level by level would repeat that search: once it costs too much, the ends of all values are indexed.
 */
import { decodeString, findQuote, findValueEnd, keepLast } from './json-text.ts'

/** The ends are indexed after searching this many times the text's length. */
const maxLooks = 8

export class JsonTree {
  readonly text: string
  #looked = 0
  #ends: Int32Array | null = null

  constructor(text: string) {
    this.text = text
  }

  isObject(at: number): boolean {
    return this.text.charCodeAt(at) === 0x7b
  }

  isArray(at: number): boolean {
    return this.text.charCodeAt(at) === 0x5b
  }

  /** A non-empty object or array. */
  isBranch(at: number): boolean {
    const close = this.isObject(at) ? 0x7d : this.isArray(at) ? 0x5d : 0
    return close !== 0 && this.text.charCodeAt(at + 1) !== close
  }

  slice(at: number): string {
    return this.text.slice(at, this.end(at))
  }

  /** The comma or bracket after the value that starts here. */
  end(at: number): number {
    if (this.#ends !== null && (this.isObject(at) || this.isArray(at))) return this.#ends[at]!
    const end = findValueEnd(this.text, at)
    this.#looked += end - at
    if (this.#ends === null && this.#looked > maxLooks * this.text.length) this.#ends = findEnds(this.text)
    return end
  }

  *elements(at: number): Generator<number> {
    for (let start = at + 1; this.text.charCodeAt(start) !== 0x5d; ) {
      const end = this.end(start)
      yield start
      start = this.text.charCodeAt(end) === 0x2c ? end + 1 : end
    }
  }

  /** Names, and the starts of their values. A repeated name has its last value, at the place of the first. */
  members(at: number): { readonly names: readonly string[]; readonly starts: readonly number[] } {
    const names: string[] = []
    const starts: number[] = []
    let next = at + 1
    while (this.text.charCodeAt(next) === 0x22) {
      const nameEnd = findQuote(this.text, next + 1) + 1
      names.push(decodeString(this.text, next, nameEnd))
      starts.push(nameEnd + 1)
      const end = this.end(nameEnd + 1)
      next = this.text.charCodeAt(end) === 0x2c ? end + 1 : end
    }
    const single = keepLast(names, starts)
    return { names: single.names, starts: single.values }
  }
}

/** For every opening bracket, the offset after its closing one. */
function findEnds(text: string): Int32Array {
  const ends = new Int32Array(text.length)
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = findQuote(text, at + 1)
    else if (unit === 0x7b || unit === 0x5b) open.push(at)
    else if (unit === 0x7d || unit === 0x5d) ends[open.pop()!] = at + 1
  }
  return ends
}
