/** The score of a test: the checker's score, validated against the test's maximum. */
import { type Aggregation, largestScore, toMillionths } from '../../lib/judging-rules/scoring/rules.ts'
import type { GivenScore } from '../checkers/ruling.ts'

/** The test's maximum; null if unbounded. */
export type TestWorth = {
  readonly maximum: number | null
  /** The group's aggregation; null for an open test, which gives no points. */
  readonly aggregation: Aggregation | null
}

/** In millionths, or undefined for the maximum; or an explanation of what is wrong. */
export function resolveScore(
  given: GivenScore | null,
  { maximum, aggregation }: TestWorth,
): { readonly score: number | undefined } | { readonly wrong: string } {
  if (given === null) {
    if (maximum === null && aggregation !== 'pass-fail')
      return { wrong: 'It gave no score, and the test has no maximum.' }
    return { score: undefined }
  }
  const wrong = (why: string) => ({ wrong: `Its score ${JSON.stringify(given.text.slice(0, 100))} ${why}.` })
  if (aggregation === 'pass-fail') return wrong('is for a test of a pass-fail group, which has none')
  const value = /^\+?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(given.text) ? Number(given.text) : Number.NaN
  if (!Number.isFinite(value)) return wrong('is not a number from 0 on')
  if (given.kind === 'points') {
    const score = toMillionths(value)
    return score > (maximum ?? toMillionths(largestScore)) ? wrong('is more than the test can give') : { score }
  }
  if (value > 1) return wrong('is a multiplier over 1')
  return maximum === null
    ? wrong('multiplies a maximum that the test does not have')
    : { score: Math.round(value * maximum) }
}
