/** Comparisons of a program's output with the expected one, as it arrives, by one of the built-in rules. */
import type { TokenSettings } from '../../lib/judging-rules/token-arguments.ts'
import { newline } from './blanks.ts'
import { makeExcerpt } from './excerpt.ts'
import { type ExpectedSource, ExpectedText } from './expected-text.ts'
import { makeLineRule } from './lines.ts'
import { makeTokenRule } from './tokens.ts'

/** What both texts say where they first differ, cut to a screen. */
export type Difference = {
  readonly expected: string
  readonly got: string
  /** That of the expected output in which it is, from 1; absent where a checker told, which names no place. */
  readonly line?: number
}
/** `at`: the place in the expected output, in bytes. */
export type FoundDifference = Omit<Difference, 'line'> & { readonly at: number }

export type Comparison = {
  /** Takes the next chunk of the program's output. */
  feed(chunk: Uint8Array): void
  /** Ends the output; answers null when it matches. */
  finish(): FoundDifference | null
}

export type ComparisonRule = { readonly kind: 'lines' } | { readonly kind: 'tokens'; readonly settings: TokenSettings }

export function makeComparison(rule: ComparisonRule, readExpected: ExpectedSource): Comparison {
  // For lines, a newline at the end of either text does not count; with it, what differs beyond is in no last line.
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
