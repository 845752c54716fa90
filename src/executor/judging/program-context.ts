/** What every run of a submission's program knows: where, by which runtime, within which limits, for whom. */
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
  /** What the runtime takes by itself, as the self-test measured it. */
  readonly runtimeBytes?: number
  /** It must not know in one pass what it was told in another, so no two of its runs have the same box. */
  readonly isMultiPass?: boolean
  /** Takes what each of its runs writes; `begin` is called before each. */
  readonly capture?: { begin(): void; write(chunk: Uint8Array): void }
}
