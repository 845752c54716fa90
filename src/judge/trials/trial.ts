/** A trial: a program run on a problem's examples, or on a custom input, without a submission. */
import type { OpenExample } from '../test-cases/open-examples.ts'

export const waiting = 1
export const running = 2
export const done = 3

export type TrialDraft = {
  readonly problemUuid: string
  readonly content: string
  readonly language: string
  /** Without it, the examples are used. */
  readonly input?: string | undefined
}

/** The result of one example, or of the custom input. */
export type TrialRun = {
  readonly result: number
  /** Their beginnings; empty for a custom input, which the sender already has. */
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
  /** Why the checker or interactor could not be used, such as its compiler's messages. */
  readonly judgeMessage?: string | undefined
}

/** A trial as an executor receives it. */
export type TrialClaim = {
  readonly id: number
  readonly lease: string
  readonly leaseExpiresAt: number
  readonly problemUuid: string
  readonly judgingHash: string
  readonly language: string
  readonly content: string
  readonly input: string | null
  /** Empty for a custom input. */
  readonly examples: readonly OpenExample[]
  readonly timeLimitMs: number
  readonly memoryLimitBytes: number
  readonly accountId: number
}
