/** What an executor found out about a submission, test by test, and what points it came to. */
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
  /** What its checker gave, in millionths. */
  readonly score?: number | undefined
  /** What its checker told the author of the problem, and who handed in. */
  readonly judgeMessage?: string | undefined
  readonly teamMessage?: string | undefined
  /** Where the output differs from the answer for the first time: what stands there in each. */
  readonly expected?: string | undefined
  readonly got?: string | undefined
  /** Of the answer, from 1. */
  readonly differenceLine?: number | undefined
}

export type Report = {
  readonly result: number
  readonly compilerOutput: string
  readonly tests: readonly TestReport[]
  /** Why the judge itself failed. */
  readonly judgeMessage?: string | undefined
}

export type StoredReport = Report & { readonly scores?: ReportScores | undefined }

/** Millionths. `score`: null where the submission could not be judged. */
export type ReportScores = {
  readonly score: number | null
  readonly maximumScore: number | null
  readonly groups: readonly GroupScore[]
}

/** What the checker tells the author of the problem is for nobody else. */
export const hideJudgeMessage = <T extends { readonly judgeMessage?: string | undefined }>(told: T): T => ({
  ...told,
  judgeMessage: undefined,
})

/** Of a hidden test: its verdict, its points, and figures so coarse that a program can't tell the test's data by them. */
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

/** These figures are stored with the submission itself, so that lists can show them to everybody: they are as coarse as a hidden test's. */
export function summarizeReport({ tests }: Report) {
  const coarse = tests.filter(({ result }) => result !== noResult).map(hideTest)
  const isMeasured = coarse.length > 0
  return {
    finished_tests: coarse.length,
    // Where the executor never said how many there are, at least these.
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
