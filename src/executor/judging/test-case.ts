/** A test, the method that judges it, and its result. */
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
  /** In millionths; null or absent for an equal share of the group's. */
  readonly points?: number | null
  /** Null or absent for those of the problem. */
  readonly arguments?: readonly string[] | null
}

/** A problem's judging, ready to use: its programs are compiled. */
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
    /** Overrides the most that a program may send to its partner, for tests. */
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
  /** Only for a wrong answer. */
  readonly difference?: Difference | null
  readonly judgeMessage?: string
  readonly teamMessage?: string
  /** The checker's score. */
  readonly given?: GivenScore | null
  /** The checker's score in millionths, after validation against the test's maximum. */
  readonly score?: number | undefined
}
