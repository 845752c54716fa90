/** How problems and tests are judged, as the judge's interface has it. */
import type { CheckerLanguage } from '../../src/lib/judging-rules/checker-sources.ts'

export type Aggregation = 'sum' | 'min' | 'pass-fail'
export type CheckerKind = 'lines' | 'tokens' | 'kattis' | 'testlib'
/** `Content` is base64. */
export type ProgramFile = { readonly Name: string; readonly Content: string }
export type Program = { readonly Language: CheckerLanguage; readonly FileList: readonly ProgramFile[] }
/** `MaximumScore` null: unbounded. */
export type GroupPoints = { readonly Name: string; readonly MaximumScore: number | null }
export type Group = GroupPoints & { readonly Aggregation: Aggregation; readonly RequireList: readonly string[] }

/** Fields that only the problem's author and admins get. */
export type KeptJudging = {
  readonly Type: 'batch' | 'interactive'
  readonly PassLimit: number
  readonly Checker: {
    readonly Kind: CheckerKind
    readonly ArgumentList: readonly string[]
    readonly Program: Program | null
  }
  readonly Interactor: Program | null
  readonly IsScored: boolean
  readonly Aggregation: Aggregation
  readonly MaximumScore: number | null
  readonly GroupList: readonly Group[]
  readonly LanguageFactorList: readonly { readonly Language: string; readonly TimeFactor: number }[]
  readonly IsHeld: boolean
  /** Changes with any of it. */
  readonly JudgingHash: string
  /** How often a checker or interactor failed. */
  readonly FaultCount: number
  /** Null if the judging was changed since. */
  readonly LastFault: { readonly SubmissionID: number; readonly Time: number; readonly Message: string } | null
}

/** Public fields, and private ones for the problem's author and admins. */
export type Judging = Pick<KeptJudging, 'Type' | 'IsScored' | 'MaximumScore'> & {
  readonly GroupList: readonly (GroupPoints & Partial<Group>)[]
} & Partial<Omit<KeptJudging, 'GroupList'>>

/** `Group` may be empty: none. `Points` null: a share of the group's. `ArgumentList` null: the checker's. */
export type TestCaseJudging = {
  readonly UUID: string
  readonly Group: string
  readonly Points: number | null
  readonly ArgumentList: readonly string[] | null
  /** Of its input and output. */
  readonly ByteCount?: number
  /** Its name in the package. */
  readonly Name?: string
}
