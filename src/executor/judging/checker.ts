/**
 * The checker compares output line by line, and ignores blanks at the end of a line and blank lines at the end, nothing
 * else. It reads the output as it arrives and the expected bytes from a source, so that memory does not grow with either.
 */

/** Answers the next chunk of the expected output, and an empty one at its end. */
export type ExpectedSource = () => Uint8Array

export type Checker = {
  /** Takes the next chunk of the program's output. */
  feed(chunk: Uint8Array): void
  /** Ends the output and answers whether it matches. */
  finish(): boolean
}

const newline = 0x0a
const nothing = new Uint8Array(0)

/** The end of either text reads as endless newlines, so that blank lines at the end do not count. */
export function makeChecker(readExpected: ExpectedSource): Checker {
  let differs = false
  let isSkipping = false // the two lines have parted inside blanks: only blanks may follow in either, up to its end
  let outputAtNewline = false // while skipping: the output has reached its end of line and waits for the expected
  let expected: Uint8Array = nothing
  let at = 0
  let isExpectedOver = false

  const peekExpected = (): number => {
    if (at === expected.length && !isExpectedOver) {
      expected = readExpected()
      at = 0
      isExpectedOver = expected.length === 0
    }
    return isExpectedOver ? newline : expected[at]!
  }

  /** Advances the expected side to its end of line; answers false when something other than a blank is in the way. */
  const skipExpectedLine = (): boolean => {
    for (;;) {
      const byte = peekExpected()
      if (byte === newline) {
        if (!isExpectedOver) at++
        return true
      }
      if (!isBlank(byte)) return false
      at++
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
      if (!isExpectedOver) at++
    } else if (isBlankOrNewline(byte) && isBlankOrNewline(wanted)) {
      isSkipping = true
      takeSkipping(byte)
    } else differs = true
  }

  const take = (byte: number): void => (isSkipping ? takeSkipping(byte) : takeMatching(byte))

  return {
    feed(chunk) {
      let i = 0
      while (i < chunk.length && !differs) {
        if (!isSkipping) {
          const same = sameLength(chunk, i, expected, at)
          i += same
          at += same
          if (i === chunk.length) return
        }
        take(chunk[i++]!)
      }
    },
    finish() {
      while (!differs) {
        take(newline)
        if (isExpectedOver && !isSkipping) break
      }
      return !differs
    },
  }
}

const isBlank = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0c || byte === 0x0b
const isBlankOrNewline = (byte: number) => byte === newline || isBlank(byte)

/** How many bytes of the two agree from here on. The whole rest is compared first, since most output is right. */
function sameLength(one: Uint8Array, from: number, other: Uint8Array, at: number): number {
  const length = Math.min(one.length - from, other.length - at)
  if (length === 0) return 0
  if (Buffer.compare(one.subarray(from, from + length), other.subarray(at, at + length)) === 0) return length
  let i = 0
  while (i < length && one[from + i] === other[at + i]) i++
  return i
}
