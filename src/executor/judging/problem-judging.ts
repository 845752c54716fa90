/** How a problem is judged: its checker or interactor, and the points of its tests. */
import type { ScoringRules } from '../../lib/judging-rules/scoring/rules.ts'
import type { CheckerSource } from '../checkers/checker-program.ts'

export type ProblemJudging = {
  /** Changes with everything here: used as a cache key. */
  readonly hash: string
  readonly isInteractive: boolean
  readonly passLimit: number
  readonly checker: {
    readonly kind: 'lines' | 'tokens' | 'kattis' | 'testlib'
    readonly arguments: readonly string[]
    readonly source: CheckerSource | null
  }
  readonly interactor: CheckerSource | null
  /** Null if it is not scored. */
  readonly scoring: ScoringRules | null
}

/** The judge's names of what this executor supports beyond comparing lines. */
export const judgingFeatures = ['checker', 'interactive', 'score'] as const
export const featuresWithoutCheckers = ['score'] as const

/** The default, also for a judge that knows nothing else. */
export const linesJudging: ProblemJudging = {
  hash: '',
  isInteractive: false,
  passLimit: 1,
  checker: { kind: 'lines', arguments: [], source: null },
  interactor: null,
  scoring: null,
}
