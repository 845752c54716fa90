/** The texts of results in memory: those of the last tests are kept, as far as a report takes them; verdicts and figures stay. */
import type { TestResult } from './test-case.ts'
import { result } from './verdict.ts'

/** Characters of one judging; many are open together, and any of them may have thousands of tests. */
export const mostTextLength = 4 * 1024 * 1024

/** Results by test, in the order they came. */
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
        // The author of a problem needs the checker's words to mend it.
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
