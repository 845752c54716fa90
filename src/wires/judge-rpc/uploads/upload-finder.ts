/**
 * Finds uploads in JSON that arrives in chunks: the texts of members named `ZippedTestData`, however the JSON is spelled.
 * Elsewhere than in `create_test_case_list` that name is an unknown member's, which nobody reads: so no more than the name
 * needs to be known.
 */

import { findQuote, maxTexts } from '../protocol.ts'

/** A part of what came: of an upload's text, without its quotes, or of all the rest. An empty text is no upload. */
export type Span = { readonly isUpload: boolean; readonly bytes: Buffer }

const uploadName = 'ZippedTestData'
/** Spelled in escapes throughout. */
const longestSpelling = 6 * uploadName.length

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

export class UploadFinder {
  #isInText = false
  #isInUpload = false
  /** The chunk before ended in a backslash that escapes what comes first in this one. */
  #isEscaping = false
  /** The last text as it was spelled, or as much of it as an upload's name may have. */
  #lastText = ''
  /** What came last between texts, blanks aside. */
  #lastSign = 0
  #texts = 0

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
        this.#lastSign = lastSign(chunk, at, stop) ?? this.#lastSign
      }
      if (end === -1) break
      at = end + 1
      if (this.#isInText) {
        this.#isInText = false
        this.#isInUpload = false
        this.#lastSign = quote
      } else {
        this.#isInText = true
        this.#texts++
        this.#isInUpload = this.#lastSign === colon && isUploadName(this.#lastText)
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

  /** Of the text we are in: where its closing quote is, or -1. */
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

function lastSign(chunk: Buffer, start: number, end: number): number | undefined {
  let at = end - 1
  while (at >= start && isBlank(chunk[at]!)) at--
  return at < start ? undefined : chunk[at]
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

function isUploadName(spelled: string): boolean {
  if (spelled === uploadName) return true
  if (!spelled.includes('\\')) return false
  try {
    return JSON.parse(`"${spelled}"`) === uploadName
  } catch {
    return false
  }
}
