/** What an executor found out about a submission, test by test. */
import { sql } from 'kysely'
import type { Db } from '../../store/schema/schema.ts'

export type TestReport = {
  readonly testCaseUuid: string
  readonly result: number
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMemoryBytes: number
  readonly stderr: string
  readonly exitCode: number | null
  readonly signal: string | null
}

export type Report = {
  readonly result: number
  readonly compilerOutput: string
  readonly tests: readonly TestReport[]
}

/** Of a hidden test: its verdict, and figures so coarse that a program can't tell the test's data by them. */
export const hideTest = (test: TestReport): TestReport => ({
  ...test,
  cpuMs: roundTo(10, test.cpuMs),
  wallMs: roundTo(10, test.wallMs),
  peakMemoryBytes: roundTo(mebibyte, test.peakMemoryBytes),
  stderr: '',
  exitCode: null,
  signal: null,
})

const mebibyte = 1024 * 1024
const roundTo = (step: number, value: number): number => Math.round(value / step) * step

/** These figures are stored with the submission itself, so that lists can show them to everybody: they are as coarse as a hidden test's. */
export function summarizeReport({ tests }: Report) {
  const coarse = tests.map(hideTest)
  const isMeasured = coarse.length > 0
  return {
    finished_tests: coarse.length,
    // Where the executor never said how many there are, at least these.
    total_tests: sql<number>`case when total_tests < ${coarse.length} then ${coarse.length} else total_tests end`,
    cpu_ms: isMeasured ? Math.max(...coarse.map(({ cpuMs }) => cpuMs)) : null,
    memory_bytes: isMeasured ? Math.max(...coarse.map(({ peakMemoryBytes }) => peakMemoryBytes)) : null,
  }
}

export async function storeReport(trx: Db, id: number, report: Report): Promise<void> {
  const text = JSON.stringify(report)
  await trx
    .insertInto('submission_report')
    .values({ submission_id: id, report: text })
    .onConflict((conflict) => conflict.column('submission_id').doUpdateSet({ report: text }))
    .execute()
}
