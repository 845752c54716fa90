/** What an executor found out about a submission, test by test. */

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

/** These figures are stored with the submission itself, so that lists can show them. */
export function summarizeReport({ tests }: Report) {
  const isMeasured = tests.length > 0
  return {
    finished_tests: tests.length,
    cpu_ms: isMeasured ? Math.max(...tests.map(({ cpuMs }) => cpuMs)) : null,
    memory_bytes: isMeasured ? Math.max(...tests.map(({ peakMemoryBytes }) => peakMemoryBytes)) : null,
  }
}
