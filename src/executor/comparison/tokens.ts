/**
 * The rule of tokens, as in Kattis' default output validator: words between blanks are compared, ignoring case in A–Z,
 * and numbers within an optional tolerance. A token longer than any number is compared as text while it passes.
 */
import type { TokenSettings } from '../../lib/judging-rules/token-arguments.ts'
import { isBlankOrNewline } from './blanks.ts'
import { type ExpectedText, endOfText, sameLength } from './expected-text.ts'
import type { Rule } from './rule.ts'
import { isWithinTolerance } from './tolerance.ts'

/** A longer token is no number. */
export const mostDigits = 4096

type State =
  /** Both texts are at the same position in equal tokens, or in blanks. */
  | 'level'
  /** The output is in blanks, while the expected text is past its own. */
  | 'blanks'
  /** The tokens differ as texts but may be equal numbers: the rest of the output's token is collected. */
  | 'number'

export function makeTokenRule(expected: ExpectedText, settings: TokenSettings): Rule {
  const { isCaseSensitive, isSpaceSensitive, tolerance } = settings
  const token = Buffer.alloc(tolerance ? mostDigits : 0) // common prefix of both tokens
  let tokenLength = 0 // may exceed the buffer
  let rest = '' // rest of the output's token, for a number
  let state: State = 'level'

  const fold = (byte: number) => (!isCaseSensitive && byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)
  const isToken = (byte: number) => byte !== endOfText && !isBlankOrNewline(byte)
  const extendToken = (bytes: Uint8Array) => {
    if (tokenLength < token.length) token.set(bytes.subarray(0, token.length - tokenLength), tokenLength)
    tokenLength += bytes.length
  }
  const skipExpectedBlanks = () => {
    for (let byte = expected.peek(); byte !== endOfText && !isToken(byte); byte = expected.peek()) expected.at++
  }

  /** Both tokens have ended, or the output's ends here: whether they are equal as numbers. */
  const endNumber = (): boolean => {
    let wanted = ''
    for (let byte = expected.peek(); isToken(byte); byte = expected.peek()) {
      if (wanted.length >= mostDigits) return false
      wanted += String.fromCharCode(byte)
      expected.at++
    }
    const common = token.toString('latin1', 0, Math.min(tokenLength, token.length))
    const isEqual =
      tolerance !== null &&
      tokenLength + Math.max(wanted.length, rest.length) <= mostDigits &&
      isWithinTolerance(common + wanted, common + rest, tolerance)
    tokenLength = 0
    rest = ''
    state = 'level'
    return isEqual
  }

  /** The output's token ends before this byte. Returns whether the expected one is equal. */
  const endToken = (): boolean => {
    if (state === 'number' || (tokenLength > 0 && isToken(expected.peek()))) return endNumber()
    tokenLength = 0
    return true
  }

  const takeBlank = (byte: number): boolean => {
    if (!endToken()) return false
    if (isSpaceSensitive) {
      if (expected.peek() !== byte) return false
      expected.at++
      return true
    }
    skipExpectedBlanks()
    state = 'blanks'
    return true
  }

  const takeTokenByte = (byte: number): boolean => {
    if (state === 'number') {
      rest += String.fromCharCode(byte)
      return rest.length <= mostDigits
    }
    if (tokenLength === 0 && !isSpaceSensitive) skipExpectedBlanks()
    state = 'level'
    const wanted = expected.peek()
    if (isToken(wanted) && fold(byte) === fold(wanted)) {
      expected.at++
      extendToken(Uint8Array.of(byte))
      return true
    }
    if (tolerance === null || (tokenLength === 0 && !isToken(wanted))) return false
    state = 'number'
    rest = String.fromCharCode(byte)
    return true
  }

  const take = (byte: number): boolean => (isBlankOrNewline(byte) ? takeBlank(byte) : takeTokenByte(byte))

  /** Skips the part equal to the byte. */
  const takeSame = (chunk: Uint8Array, from: number): number => {
    const same = sameLength(chunk, from, expected)
    expected.at += same
    let start = from + same
    while (start > from && !isBlankOrNewline(chunk[start - 1]!)) start--
    if (start > from) tokenLength = 0
    extendToken(chunk.subarray(start, from + same))
    return from + same
  }

  return {
    feed(chunk) {
      let i = 0
      while (i < chunk.length) {
        if (state === 'level') i = takeSame(chunk, i)
        if (i === chunk.length) break
        if (!take(chunk[i]!)) return i
        i++
      }
      return -1
    },
    finish() {
      if (!endToken()) return false
      if (!isSpaceSensitive) skipExpectedBlanks()
      return expected.peek() === endOfText
    },
  }
}
