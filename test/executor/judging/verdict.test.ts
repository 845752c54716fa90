/** Verdicts from figures, as a table. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  graceOf,
  type Judged,
  judgeRun,
  needsSecondRun,
  result,
  wallCapOf,
} from '../../../src/executor/judging/verdict.ts'

const fine: Judged = {
  exitCode: 0,
  signal: null,
  cpuMs: 10,
  wallMs: 12,
  isOutOfMemory: false,
  stopped: null,
  ranConcurrently: true,
  wasHeldUp: false,
  matches: true,
}
const limitMs = 1000

const verdicts: [sentence: string, run: Partial<Judged>, verdict: number][] = [
  ['the right output and exit code 0 is OK', {}, result.ok],
  ['another output is a wrong answer', { matches: false }, result.wrongAnswer],
  ['an exit code is a runtime error, whatever the output', { exitCode: 1 }, result.runtimeError],
  ['exit code 124 is no time limit', { exitCode: 124 }, result.runtimeError],
  ['exit code 137 is no memory limit', { exitCode: 137 }, result.runtimeError],
  ['a signal is a runtime error', { exitCode: null, signal: 'SIGSEGV' }, result.runtimeError],
  ['SIGKILL alone is a runtime error', { exitCode: null, signal: 'SIGKILL' }, result.runtimeError],
  ['SIGXCPU alone is a runtime error', { exitCode: null, signal: 'SIGXCPU' }, result.runtimeError],
  ['exactly the limit is within it', { cpuMs: 1000 }, result.ok],
  ['over the limit is over, with the right answer', { cpuMs: 1000.1 }, result.timeLimitExceeded],
  ['over the limit and crashed has overrun', { cpuMs: 1100, exitCode: 1 }, result.timeLimitExceeded],
  ['stopped for its CPU time', { stopped: 'cpu', exitCode: null }, result.timeLimitExceeded],
  [
    'stopped by the wall clock without having computed',
    { stopped: 'wall', exitCode: null, cpuMs: 1 },
    result.timeLimitExceeded,
  ],
  [
    'killed by the kernel for its memory',
    { isOutOfMemory: true, exitCode: null, signal: 'SIGKILL' },
    result.memoryLimitExceeded,
  ],
  ['a child killed for its memory, and a right answer', { isOutOfMemory: true }, result.memoryLimitExceeded],
  ['stopped for its memory by sampling', { stopped: 'memory', exitCode: null }, result.memoryLimitExceeded],
  ['stopped for its output', { stopped: 'output', exitCode: null }, result.outputLimitExceeded],
  ['too much output and too much time', { stopped: 'output', exitCode: null, cpuMs: 1100 }, result.timeLimitExceeded],
]

const secondRuns: [sentence: string, run: Partial<Judged>, again: boolean][] = [
  ['a little over, in company', { cpuMs: 1100 }, true],
  ['a little over, alone', { cpuMs: 1100, ranConcurrently: false }, false],
  ['far over', { cpuMs: 1250, stopped: 'cpu' }, false],
  ['the wall clock ran out while others had the processors', { cpuMs: 600, stopped: 'wall', wasHeldUp: true }, true],
  ['the wall clock ran out, however little it had', { cpuMs: 10, stopped: 'wall', wasHeldUp: true }, true],
  ['the wall clock ran out in company, and it was idle', { cpuMs: 10, stopped: 'wall' }, false],
  ['within its time', { cpuMs: 990 }, false],
  ['out of memory', { cpuMs: 1100, isOutOfMemory: true }, false],
]

describe('a verdict', () => {
  for (const [sentence, run, verdict] of verdicts) {
    it(`${sentence}: ${verdict}`, () => assert.equal(judgeRun({ ...fine, ...run }, limitMs), verdict))
  }
  for (const [sentence, run, again] of secondRuns) {
    it(`${again ? 'is asked again' : 'stands'}: ${sentence}`, () =>
      assert.equal(needsSecondRun({ ...fine, ...run }, judgeRun({ ...fine, ...run }, limitMs)), again))
  }
  it('leaves a quarter of the limit to tell near from far, and 50 ms at the least', () => {
    assert.deepEqual([graceOf(1000), graceOf(100), graceOf(1)], [1250, 150, 51])
  })
  it('caps the wall clock at twice the limit and a second', () => {
    assert.deepEqual([wallCapOf(1), wallCapOf(1000), wallCapOf(60_000)], [1002, 3000, 121_000])
  })
})
