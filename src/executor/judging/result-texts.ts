/**
 * Bounds the texts of results in memory: texts of the latest tests are kept, as far as a report takes them; verdicts
 * and figures always.
 */
import type { TestResult } from './test-case.ts'
import { result } from './verdict.ts'

/** Characters per judging; many are open at the same time, and each may have thousands of tests. */
export const mostTextLength = 4 * 1024 * 1024

/** Results by test, in order of arrival. */
export type ResultTexts = { set(index: number, outcome: TestResult): void }

export function boundTexts(results: Map<number, TestResult>, most = mostTextLength): ResultTexts {
  const withTexts: number[] = []
  let length = 0
  return {
    set(index, outcome) {
      results.set(index, outcome)
      withTexts.push(index)
      length += lengthOf(outcome)
      while (length > most && withTexts.length > 1) {
        const oldest = withTexts.shift()!
        const before = results.get(oldest)!
        // The author of a problem needs the checker's messages to repair it.
        const after = before.result === result.judgeFailure ? before : { ...before, ...none }
        length -= lengthOf(before)
        results.set(oldest, after)
      }
    },
  }
}

const none = { stderr: '', judgeMessage: '', teamMessage: '' }

const lengthOf = ({ stderr, judgeMessage = '', teamMessage = '' }: TestResult): number =>
  stderr.length + judgeMessage.length + teamMessage.length
