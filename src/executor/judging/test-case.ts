/** A test, what it is judged with, and what comes of it. */
import type { CheckerProgram } from '../checkers/checker-program.ts'
import type { CheckerNeeds } from '../checkers/checker-run.ts'
import type { CheckerConvention, GivenScore } from '../checkers/ruling.ts'
import type { Difference } from '../comparison/comparison.ts'
import type { ProgramContext } from './program-context.ts'
import type { Result } from './verdict.ts'

export type TestCase = {
  readonly uuid: string
  readonly inputPath: string
  readonly outputPath: string
  readonly outputBytes: number
  readonly isHidden?: boolean
  readonly group?: string
  /** In millionths; null or absent: its part of the group's. */
  readonly points?: number | null
  /** Null or absent: those of the problem. */
  readonly arguments?: readonly string[] | null
}

/** A problem's judging, ready to be used: its programs are compiled. */
export type JudgingMethod = {
  readonly isInteractive: boolean
  readonly passLimit: number
  readonly checker: BuiltInChecker | ProgramChecker
  readonly interactor: CheckerProgram | null
}

export type BuiltInChecker = { readonly kind: 'lines' | 'tokens'; readonly arguments: readonly string[] }
export type ProgramChecker = {
  readonly kind: CheckerConvention
  readonly arguments: readonly string[]
  readonly program: CheckerProgram
}

export const plainMethod: JudgingMethod = {
  isInteractive: false,
  passLimit: 1,
  checker: { kind: 'lines', arguments: [] },
  interactor: null,
}

export type TestContext = ProgramContext &
  Pick<CheckerNeeds, 'checkerLimits'> & {
    readonly method: JudgingMethod
    /** Another than a program may send its partner, for tests. */
    readonly mostSentBytes?: number
  }

export type TestResult = {
  readonly uuid: string
  readonly result: Result
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMemoryBytes: number
  readonly stderr: string
  readonly exitCode: number | null
  readonly signal: string | null
  /** Of a wrong answer. */
  readonly difference?: Difference | null
  readonly judgeMessage?: string
  readonly teamMessage?: string
  /** What the checker gave. */
  readonly given?: GivenScore | null
  /** That in millionths, once it was held against what the test can give. */
  readonly score?: number | undefined
}
