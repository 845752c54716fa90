/** The rule of lines: output is compared line by line, ignoring only blanks at line ends and blank lines at the end. */
import { isBlank, isBlankOrNewline, newline } from './blanks.ts'
import { type ExpectedText, endOfText, sameLength } from './expected-text.ts'
import type { Rule } from './rule.ts'

/** The end of either text reads as endless newlines, so blank lines at the end are ignored. */
export function makeLineRule(expected: ExpectedText): Rule {
  let differs = false
  let isSkipping = false // the lines differ within blanks: only blanks may follow in either, up to its end
  let outputAtNewline = false // while skipping: the output is at its line end and waits for the expected text

  const isExpectedOver = () => expected.peek() === endOfText
  const peekExpected = (): number => {
    const byte = expected.peek()
    return byte === endOfText ? newline : byte
  }

  /** Advances the expected side to its line end; false if anything but blanks is in between. */
  const skipExpectedLine = (): boolean => {
    for (;;) {
      const byte = peekExpected()
      if (byte === newline) {
        if (!isExpectedOver()) expected.at++
        return true
      }
      if (!isBlank(byte)) return false
      expected.at++
    }
  }

  const takeSkipping = (byte: number): void => {
    if (byte === newline) outputAtNewline = true
    else if (!isBlank(byte)) differs = true
    if (!outputAtNewline || differs) return
    if (!skipExpectedLine()) differs = true
    isSkipping = false
    outputAtNewline = false
  }

  const takeMatching = (byte: number): void => {
    const wanted = peekExpected()
    if (byte === wanted) {
      if (!isExpectedOver()) expected.at++
    } else if (isBlankOrNewline(byte) && isBlankOrNewline(wanted)) {
      isSkipping = true
      takeSkipping(byte)
    } else differs = true
  }

  const take = (byte: number): void => (isSkipping ? takeSkipping(byte) : takeMatching(byte))

  return {
    feed(chunk) {
      let i = 0
      while (i < chunk.length) {
        if (!isSkipping) {
          const same = sameLength(chunk, i, expected)
          i += same
          expected.at += same
          if (i === chunk.length) break
        }
        take(chunk[i]!)
        if (differs) return i
        i++
      }
      return -1
    },
    finish() {
      while (!differs) {
        take(newline)
        if (isExpectedOver() && !isSkipping) break
      }
      return !differs
    },
  }
}
