/** How a problem is judged: what compares or talks, and what its tests are worth. */
import type { ScoringRules } from '../../lib/judging-rules/scoring/rules.ts'
import type { CheckerSource } from '../checkers/checker-program.ts'

export type ProblemJudging = {
  /** Changes with everything here: what is made of it is kept under this name. */
  readonly hash: string
  readonly isInteractive: boolean
  readonly passLimit: number
  readonly checker: {
    readonly kind: 'lines' | 'tokens' | 'kattis' | 'testlib'
    readonly arguments: readonly string[]
    readonly source: CheckerSource | null
  }
  readonly interactor: CheckerSource | null
  /** Null unless it is scored. */
  readonly scoring: ScoringRules | null
}

/** What this executor can do beyond a comparison of lines, as the judge names it. */
export const judgingFeatures = ['checker', 'interactive', 'score'] as const
export const featuresWithoutCheckers = ['score'] as const

/** That of a problem for which nothing was said, and of a judge that knows nothing else. */
export const linesJudging: ProblemJudging = {
  hash: '',
  isInteractive: false,
  passLimit: 1,
  checker: { kind: 'lines', arguments: [], source: null },
  interactor: null,
  scoring: null,
}
