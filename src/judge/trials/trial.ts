/** A trial: a program that is run on a problem's examples, or on an input of one's own, without a submission. */
import type { OpenExample } from '../test-cases/open-examples.ts'

export const waiting = 1
export const running = 2
export const done = 3

export type TrialDraft = {
  readonly problemUuid: string
  readonly content: string
  readonly language: string
  /** Absent: it is run on the examples. */
  readonly input?: string | undefined
}

/** What came of one example, or of the input. */
export type TrialRun = {
  readonly result: number
  /** How they begin; empty for an input of one's own, which whoever sent it has. */
  readonly input: string
  readonly output: string
  readonly stdout: string
  readonly isStdoutCut: boolean
  readonly stderr: string
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMemoryBytes: number
  readonly exitCode: number | null
  readonly signal: string | null
  readonly teamMessage?: string | undefined
  readonly expected?: string | undefined
  readonly got?: string | undefined
  readonly differenceLine?: number | undefined
}

export type TrialReport = {
  readonly result: number
  readonly compilerOutput: string
  readonly runs: readonly TrialRun[]
}

/** What an executor is handed. */
export type TrialClaim = {
  readonly id: number
  readonly lease: string
  readonly leaseExpiresAt: number
  readonly problemUuid: string
  readonly judgingHash: string
  readonly language: string
  readonly content: string
  readonly input: string | null
  /** None for an input of one's own. */
  readonly examples: readonly OpenExample[]
  readonly timeLimitMs: number
  readonly memoryLimitBytes: number
  readonly accountId: number
}
