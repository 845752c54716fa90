/** An executor's report on a submission, test by test, and the resulting points. */
import { sql } from 'kysely'
import type { GroupScore } from '../../lib/judging-rules/scoring/scoring.ts'
import { mebibyte } from '../../lib/text/bytes.ts'
import type { Db } from '../../store/schema/schema.ts'
import { noResult } from '../submissions/status.ts'

export type TestReport = {
  readonly testCaseUuid: string
  readonly result: number
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMemoryBytes: number
  readonly stderr: string
  readonly exitCode: number | null
  readonly signal: string | null
  /** The checker's score, in millionths. */
  readonly score?: number | undefined
  /** The checker's messages to the author of the problem and to the author of the submission. */
  readonly judgeMessage?: string | undefined
  readonly teamMessage?: string | undefined
  /** The first difference between output and answer: the text in each. */
  readonly expected?: string | undefined
  readonly got?: string | undefined
  /** The line in the answer, counted from 1. */
  readonly differenceLine?: number | undefined
}

export type Report = {
  readonly result: number
  readonly compilerOutput: string
  readonly tests: readonly TestReport[]
  /** The reason of a judge failure. */
  readonly judgeMessage?: string | undefined
}

export type StoredReport = Report & { readonly scores?: ReportScores | undefined }

/** In millionths. `score` is null if the submission could not be judged. */
export type ReportScores = {
  readonly score: number | null
  readonly maximumScore: number | null
  readonly groups: readonly GroupScore[]
}

/** Removes the checker's message to the author of the problem. */
export const hideJudgeMessage = <T extends { readonly judgeMessage?: string | undefined }>(told: T): T => ({
  ...told,
  judgeMessage: undefined,
})

/** For a hidden test: its verdict, its points, and figures too coarse to reveal the test's data to a program. */
export const hideTest = (test: TestReport): TestReport => ({
  testCaseUuid: test.testCaseUuid,
  result: test.result,
  score: test.score,
  cpuMs: roundTo(10, test.cpuMs),
  wallMs: roundTo(10, test.wallMs),
  peakMemoryBytes: roundTo(mebibyte, test.peakMemoryBytes),
  stderr: '',
  exitCode: null,
  signal: null,
})

const roundTo = (step: number, value: number): number => Math.round(value / step) * step

/**
 * These figures are stored with the submission and shown to everybody in lists, so they are as coarse as those of a
 * hidden test.
 */
export function summarizeReport({ tests }: Report) {
  const coarse = tests.filter(({ result }) => result !== noResult).map(hideTest)
  const isMeasured = coarse.length > 0
  return {
    finished_tests: coarse.length,
    // The number of reported tests, if the executor never reported the total.
    total_tests: sql<number>`case when total_tests < ${coarse.length} then ${coarse.length} else total_tests end`,
    cpu_ms: isMeasured ? Math.max(...coarse.map(({ cpuMs }) => cpuMs)) : null,
    memory_bytes: isMeasured ? Math.max(...coarse.map(({ peakMemoryBytes }) => peakMemoryBytes)) : null,
  }
}

export async function storeReport(trx: Db, id: number, report: StoredReport): Promise<void> {
  const text = JSON.stringify(report)
  await trx
    .insertInto('submission_report')
    .values({ submission_id: id, report: text })
    .onConflict((conflict) => conflict.column('submission_id').doUpdateSet({ report: text }))
    .execute()
}
