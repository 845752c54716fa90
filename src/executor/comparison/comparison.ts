/** Compares a program's output with the expected one as it arrives, by a built-in rule. */
import type { TokenSettings } from '../../lib/judging-rules/token-arguments.ts'
import { newline } from './blanks.ts'
import { makeExcerpt } from './excerpt.ts'
import { type ExpectedSource, ExpectedText } from './expected-text.ts'
import { makeLineRule } from './lines.ts'
import { makeTokenRule } from './tokens.ts'

/** The two texts around their first difference, cut to a screen. */
export type Difference = {
  readonly expected: string
  readonly got: string
  /** The line of the expected output, counted from 1; absent if a checker decided, which gives no place. */
  readonly line?: number
}
/** `at`: the offset in the expected output, in bytes. */
export type FoundDifference = Omit<Difference, 'line'> & { readonly at: number }

export type Comparison = {
  /** Takes the next chunk of the program's output. */
  feed(chunk: Uint8Array): void
  /** Ends the output; returns null if it matches. */
  finish(): FoundDifference | null
}

export type ComparisonRule = { readonly kind: 'lines' } | { readonly kind: 'tokens'; readonly settings: TokenSettings }

export function makeComparison(rule: ComparisonRule, readExpected: ExpectedSource): Comparison {
  // For lines a final newline is ignored in both texts; adding it puts any later difference outside the last line.
  const isByLine = rule.kind === 'lines'
  const expected = new ExpectedText(isByLine ? withFinalNewline(readExpected) : readExpected)
  const comparing = rule.kind === 'lines' ? makeLineRule(expected) : makeTokenRule(expected, rule.settings)
  const got = makeExcerpt()
  let differs = false
  const feed = (chunk: Uint8Array) => {
    if (differs) {
      if (!got.isFull()) got.pass(chunk)
      return
    }
    const place = comparing.feed(chunk)
    if (place < 0) return got.pass(chunk)
    differs = true
    got.pass(chunk.subarray(0, place))
    got.stop()
    got.pass(chunk.subarray(place))
  }

  return {
    feed,
    finish() {
      if (isByLine && !differs) feed(Uint8Array.of(newline))
      if (!differs && comparing.finish()) return null
      if (!differs) got.stop()
      const at = expected.position
      return { expected: expected.quote(), got: got.toText(), at }
    },
  }
}

function withFinalNewline(read: ExpectedSource): ExpectedSource {
  let isOver = false
  return () => {
    if (isOver) return new Uint8Array(0)
    const chunk = read()
    isOver = chunk.length === 0
    return isOver ? Uint8Array.of(newline) : chunk
  }
}
