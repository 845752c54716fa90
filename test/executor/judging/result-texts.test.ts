/** What a judging keeps in memory of what its tests said. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { boundTexts } from '../../../src/executor/judging/result-texts.ts'
import type { TestResult } from '../../../src/executor/judging/test-case.ts'
import { result } from '../../../src/executor/judging/verdict.ts'

const outcome = (verdict: TestResult['result'], stderr: string): TestResult => ({
  ...{ uuid: '', result: verdict, cpuMs: 7, wallMs: 8, peakMemoryBytes: 9, exitCode: 0, signal: null },
  ...{ stderr, judgeMessage: 'why', teamMessage: '' },
})

it('the texts of the last tests are kept, with those that tell of a fault, and every verdict', () => {
  const results = new Map<number, TestResult>()
  const texts = boundTexts(results, 30)
  texts.set(3, outcome(result.judgeFailure, 'fault'))
  for (const index of [0, 2, 1]) texts.set(index, outcome(result.wrongAnswer, 'x'.repeat(10)))
  assert.deepEqual(
    [...results].map(([index, each]) => [index, each.result, each.cpuMs, each.stderr.length, each.judgeMessage]),
    [
      [3, 9, 7, 5, 'why'],
      [0, 6, 7, 0, ''],
      [2, 6, 7, 10, 'why'],
      [1, 6, 7, 10, 'why'],
    ],
  )
})
