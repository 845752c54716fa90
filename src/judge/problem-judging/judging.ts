/** How a problem is judged: the checker of its outputs, its interactor, and its points. */
import { type CheckerLanguage, checkerLanguages } from '../../lib/judging-rules/checker-sources.ts'
import {
  type Aggregation,
  type ScoringGroup,
  type ScoringRules,
  toMillionths,
} from '../../lib/judging-rules/scoring/rules.ts'
import { type FeatureSet, noFeatures, toFeatureSet } from '../features.ts'

export const problemTypes = ['batch', 'interactive'] as const
export const checkerKinds = ['lines', 'tokens', 'kattis', 'testlib'] as const
export const programLanguages = checkerLanguages

export type ProblemType = (typeof problemTypes)[number]
export type CheckerKind = (typeof checkerKinds)[number]
export type ProgramLanguage = CheckerLanguage

export type ProgramFile = { readonly name: string; readonly content: Uint8Array }
export type Program = { readonly language: ProgramLanguage; readonly files: readonly ProgramFile[] }

/** Only the kinds `kattis` and `testlib` have a program. */
export type Checker = {
  readonly kind: CheckerKind
  readonly arguments: readonly string[]
  readonly program: Program | null
}

export type LanguageFactor = { readonly language: string; readonly timeFactor: number }

export type Judging = {
  readonly type: ProblemType
  readonly passLimit: number
  readonly checker: Checker
  readonly interactor: Program | null
  readonly isScored: boolean
  readonly aggregation: Aggregation
  /** In millionths, as in the groups; null if unbounded. */
  readonly maximumScore: number | null
  readonly groups: readonly ScoringGroup[]
  readonly languageFactors: readonly LanguageFactor[]
  readonly isHeld: boolean
}

export const plainJudging: Judging = {
  type: 'batch',
  passLimit: 1,
  checker: { kind: 'lines', arguments: [], program: null },
  interactor: null,
  isScored: false,
  aggregation: 'sum',
  maximumScore: toMillionths(100),
  groups: [],
  languageFactors: [],
  isHeld: false,
}

/** Old executors can only compare lines. */
export function featuresOf({ type, checker, passLimit, isScored }: Judging): FeatureSet {
  if (type === 'batch' && checker.kind === 'lines' && !isScored) return noFeatures
  return toFeatureSet([
    ...(checker.kind !== 'lines' || passLimit > 1 ? (['checker'] as const) : []),
    ...(type === 'interactive' ? (['interactive'] as const) : []),
    ...(isScored ? (['score'] as const) : []),
  ])
}

/** Null for a problem without points. */
export const scoringOf = ({ isScored, aggregation, maximumScore, groups }: Judging): ScoringRules | null =>
  isScored ? { aggregation, maximum: maximumScore, groups } : null

export const countProgramBytes = ({ checker, interactor }: Judging): number =>
  [...(checker.program?.files ?? []), ...(interactor?.files ?? [])].reduce(
    (sum, { content }) => sum + content.length,
    0,
  )
