/**
 * Runs a submission's tests by the plan of its groups, several at a time while slots are free and nobody else waits for
 * them.
 */
import {
  groupTests,
  listMaxima,
  type ScoredTest,
  type ScoringRules,
  sampleGroup,
} from '../../lib/judging-rules/scoring/rules.ts'
import { planRun } from '../../lib/judging-rules/scoring/run-plan.ts'
import { boundTexts } from './result-texts.ts'
import type { TestCase, TestContext, TestResult } from './test-case.ts'
import { runTest } from './test-run.ts'
import { resolveScore, type TestWorth } from './test-score.ts'
import { type Result, result } from './verdict.ts'

export type PlannedRun = {
  /**
   * The result of the first failed test in the plan's order; 1 if none failed. That also holds if an accepted test gave
   * no points, so that its group was stopped: tests skipped for that have no result, and the points show it.
   */
  readonly result: Result
  /**
   * In judging order. For a scored problem all tests, including those not run; otherwise up to the first failed one.
   */
  readonly tests: readonly TestResult[]
}

/**
 * The plan's order decides: tests that it skips after a failure are aborted and discarded, even if they ran ahead. A
 * checker's fault ends everything once no earlier test can still cause it to be skipped.
 */
export async function runTests(
  context: TestContext,
  scoring: ScoringRules | null,
  tests: readonly TestCase[],
  onProgress?: (finishedCount: number) => void,
): Promise<PlannedRun> {
  const scored = tests.map(({ group = '', points = null, isHidden = true }) => ({ group, points, isHidden }))
  const plan = planRun(scoring, scored)
  const worths = scoring && listWorths(scoring, scored)
  const results = new Map<number, TestResult>()
  const texts = boundTexts(results)
  const running = new Map<number, AbortController>()
  const placeOf = new Map(plan.order.map((index, place) => [index, place]))
  const faults = new Set<number>()
  let next = 0
  let isFaulty = false

  const isFinal = (index: number): boolean =>
    !plan.isSkipped(index) && [...running.keys()].every((other) => placeOf.get(other)! > placeOf.get(index)!)

  const callOff = (isNeeded: (index: number) => boolean) => {
    for (const [index, controller] of running) if (!isNeeded(index)) controller.abort()
  }
  const take = (index: number, outcome: TestResult) => {
    const scoredOutcome = worths ? withScore(outcome, worths[index]!) : outcome
    texts.set(index, scoredOutcome)
    plan.record(index, { result: scoredOutcome.result, score: scoredOutcome.score })
    if (scoring && scoredOutcome.result === result.judgeFailure) faults.add(index)
    isFaulty ||= [...faults].some(isFinal)
    callOff((other) => !isFaulty && !plan.isSkipped(other))
    onProgress?.(results.size)
  }
  const work = async () => {
    while (next < plan.order.length && !isFaulty) {
      const index = plan.order[next++]!
      if (plan.isSkipped(index)) continue
      const controller = new AbortController()
      running.set(index, controller)
      const signal = AbortSignal.any([context.signal, controller.signal])
      const outcome = await runTest({ ...context, signal }, tests[index]!)
        .catch((error: unknown) => {
          if (controller.signal.aborted) return null
          isFaulty = true
          callOff(() => false)
          throw error
        })
        .finally(() => running.delete(index))
      if (context.signal.aborted) throw new Error('The judging was called off.')
      if (outcome) take(index, outcome)
    }
  }
  const width = Math.min(context.sandbox.slotCount, tests.length)
  const workers = await Promise.allSettled(Array.from({ length: width }, work))
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason

  const finalOf = (index: number) => (plan.isSkipped(index) ? undefined : results.get(index))
  const failed = plan.order.map(finalOf).find((each) => each !== undefined && each.result !== result.ok)
  const fault = scoring && plan.order.map(finalOf).find((each) => each?.result === result.judgeFailure)
  const all = tests.map((test, index) => finalOf(index) ?? notRun(test))
  return {
    result: (fault ?? failed)?.result ?? result.ok,
    tests: scoring ? all : all.filter((each) => each.result !== result.none),
  }
}

function listWorths(rules: ScoringRules, tests: readonly ScoredTest[]): TestWorth[] {
  const maxima = listMaxima(rules, tests)
  const open = new Set(groupTests(rules, tests).get(sampleGroup))
  return tests.map(({ group }, index) => ({
    // An open test gives no points, so any score of its checker is valid.
    aggregation: open.has(index) ? null : (rules.groups.find(({ name }) => name === group) ?? rules).aggregation,
    maximum: maxima[index]!,
  }))
}

function withScore(outcome: TestResult, worth: TestWorth): TestResult {
  if (outcome.result !== result.ok || worth.aggregation === null) return outcome
  const resolved = resolveScore(outcome.given ?? null, worth)
  if ('score' in resolved) return { ...outcome, score: resolved.score }
  const judgeMessage = [resolved.wrong, outcome.judgeMessage].filter(Boolean).join('\n')
  return { ...outcome, result: result.judgeFailure, judgeMessage }
}

const notRun = ({ uuid }: TestCase): TestResult => ({
  uuid,
  result: result.none,
  cpuMs: 0,
  wallMs: 0,
  peakMemoryBytes: 0,
  stderr: '',
  exitCode: null,
  signal: null,
})
