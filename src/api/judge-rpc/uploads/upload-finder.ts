/**
 * Finds uploads in JSON that arrives in chunks: the strings of members named `ZippedTestData` or `ZippedPackage`,
 * however the name is escaped. Methods without an upload ignore members of that name, so checking the name is enough.
 */
import { JsonStructure, maxValues } from './json-structure.ts'

/** A part of a chunk: of an upload's string without its quotes, or of the rest. An empty string is no upload. */
export type Span = { readonly isUpload: boolean; readonly bytes: Buffer }

const uploadNames: readonly string[] = ['ZippedTestData', 'ZippedPackage']
/** Every character of the name may be written as a six-character escape. */
const longestSpelling = 6 * Math.max(...uploadNames.map((name) => name.length))

/** A body with more strings has too many values or is not JSON, so the search stops. */
const maxTexts = 2 * maxValues + 2

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

export class UploadFinder {
  #isInText = false
  #isInUpload = false
  /** The previous chunk ended in a backslash that escapes the first byte of this one. */
  #isEscaping = false
  /** The last string in its escaped form, up to the longest form of an upload's name. */
  #lastText = ''
  /** The JSON between strings. */
  readonly #structure: JsonStructure
  #texts = 0

  constructor(most = maxValues) {
    this.#structure = new JsonStructure(most)
  }

  /** Whether the body has more values than any call needs. */
  get isTooMuch(): boolean {
    return this.#structure.isTooMuch
  }

  scan(chunk: Buffer): Span[] {
    if (this.#texts > maxTexts && !this.#isInUpload) return [{ isUpload: false, bytes: chunk }]
    const spans: Span[] = []
    let start = 0
    for (let at = 0; at < chunk.length; ) {
      const end = this.#isInText ? this.#findEnd(chunk, at) : findQuote(chunk, at)
      const stop = end === -1 ? chunk.length : end
      if (this.#isInUpload) {
        if (stop > start) spans.push({ isUpload: true, bytes: chunk.subarray(start, stop) })
        start = stop
      } else if (this.#isInText) {
        this.#lastText += chunk.toString('latin1', at, Math.min(stop, at + longestSpelling + 1 - this.#lastText.length))
      } else {
        const shorter = this.#structure.read(chunk.subarray(at, stop))
        if (shorter) {
          spans.push({ isUpload: false, bytes: chunk.subarray(start, at) }, { isUpload: false, bytes: shorter })
          start = stop
        }
      }
      if (end === -1) break
      at = end + 1
      if (this.#isInText) {
        this.#isInText = false
        this.#isInUpload = false
        this.#structure.lastSign = quote
      } else {
        this.#isInText = true
        this.#texts++
        this.#isInUpload = this.#structure.lastSign === colon && isUploadName(this.#lastText)
        this.#lastText = ''
        if (this.#isInUpload) {
          spans.push({ isUpload: false, bytes: chunk.subarray(start, at) })
          start = at
        }
      }
    }
    if (start < chunk.length) spans.push({ isUpload: false, bytes: chunk.subarray(start) })
    return spans
  }

  /** The closing quote of the current string, or -1 if it is not in this chunk. */
  #findEnd(chunk: Buffer, start: number): number {
    let at = this.#isEscaping ? start + 1 : start
    for (;;) {
      const found = findQuote(chunk, at)
      const stop = found === -1 ? chunk.length : found
      let backslashes = 0
      while (stop - 1 - backslashes >= at && chunk[stop - 1 - backslashes] === backslash) backslashes++
      this.#isEscaping = found === -1 && backslashes % 2 === 1
      if (found === -1 || backslashes % 2 === 0) return found
      at = found + 1
    }
  }
}

/** Like indexOf, whose call costs too much if millions of quotes are close together. */
function findQuote(chunk: Buffer, start: number): number {
  const near = Math.min(start + 16, chunk.length)
  for (let at = start; at < near; at++) if (chunk[at] === quote) return at
  return near === chunk.length ? -1 : chunk.indexOf(quote, near)
}

function isUploadName(spelled: string): boolean {
  if (uploadNames.includes(spelled)) return true
  if (!spelled.includes('\\')) return false
  try {
    return uploadNames.includes(JSON.parse(`"${spelled}"`) as string)
  } catch {
    return false
  }
}
