/** The context of every run of a submission's program: sandbox, language, limits, owner. */
import type { Language } from '../languages/language.ts'
import type { KeptFile, RunOptions, Sandbox } from '../sandboxes/sandbox.ts'

export type ProblemLimits = { readonly timeLimitMs: number; readonly memoryLimitBytes: number }

export type ProgramContext = {
  readonly sandbox: Sandbox
  readonly language: Language
  readonly program: KeptFile
  readonly limits: ProblemLimits
  readonly signal: AbortSignal
  readonly owner?: RunOptions['owner']
  /** The runtime's own memory, as the self-test measured it. */
  readonly runtimeBytes?: number
  /** Its runs never share a box: it must not remember in one pass what it was told in another. */
  readonly isMultiPass?: boolean
  /** Receives the output of each run; `begin` is called before each. */
  readonly capture?: { begin(): void; write(chunk: Uint8Array): void }
}
