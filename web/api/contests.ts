/** Contests, as the judge's interface has them. */
import type { SubmissionSnippet } from './submissions.ts'

export type ContestState = 'before' | 'running' | 'frozen' | 'ended' | 'thawed' | 'finalized'
export type ContestStyle = 'icpc' | 'ioi'
export type ContestDraft = {
  readonly Name: string
  readonly FormalName: string | null
  readonly Style: ContestStyle
  readonly IsPublic: boolean
  readonly IsOpen: boolean
  readonly StartTime: number | null
  readonly CountdownPause: number | null
  readonly Duration: number
  readonly FreezeDuration: number | null
  readonly PenaltyMinute: number
  /** Empty: every language. */
  readonly LanguageList: readonly { readonly Language: string; readonly TimeFactor: number }[]
  readonly BoardIsHidden: boolean
  readonly ShowsProblemsToPublic: boolean
  readonly GoldMedalCount: number
  readonly SilverMedalCount: number
  readonly BronzeMedalCount: number
  readonly WorldFinalsRanks: boolean
  readonly RemovedIntervalList: readonly { readonly StartTime: number; readonly EndTime: number }[]
  /** Empty except for the jury. */
  readonly JuryList: readonly string[]
  readonly StaffList: readonly string[]
}
export type ContestProblem = {
  readonly ID: string
  readonly Label: string
  readonly UUID: string
  readonly Ordinal: number
  /** `#rrggbb` */
  readonly Colour: string
  readonly DisplayName: string
}
export type Named = { readonly ID: string; readonly Name: string }
export type Contest = ContestDraft & {
  readonly ID: string
  readonly Owner: string
  readonly State: ContestState
  readonly EndTime: number | null
  /** Null where it is not frozen. */
  readonly FrozenTime: number | null
  readonly ThawedTime: number | null
  readonly FinalizedTime: number | null
  /** Of the caller. */
  readonly Role: 'jury' | 'staff' | 'team' | 'public'
  readonly TeamID: string | null
  /** Empty before the start, except for the jury. */
  readonly ProblemList: readonly ContestProblem[]
  readonly GroupList: readonly Named[]
}
export type TeamDraft = {
  readonly Label: string
  readonly Name: string
  readonly AccountNameList: readonly string[]
  readonly OrganisationID: string | null
  readonly GroupIDList: readonly string[]
  readonly ExtraPenalty: number
  readonly IsHidden: boolean
}
export type Team = TeamDraft & { readonly ID: string }
export type ListedTeam = Team & {
  /** Those for which the reader may set a new password. */
  readonly PasswordAccountList: readonly { readonly ID: number; readonly AccountName: string }[]
}
export type BoardCell = {
  readonly NumJudged: number
  readonly NumPending: number
  readonly IsSolved: boolean
  readonly IsFirst: boolean
  readonly Minute: number | null
  /** Null in the style `icpc`. */
  readonly Score: number | null
}
export type BoardRow = {
  readonly Rank: number
  readonly TeamID: string
  readonly Label: string
  readonly Name: string
  readonly OrganisationID: string | null
  readonly OrganisationName: string | null
  readonly GroupIDList: readonly string[]
  readonly NumSolved: number
  readonly Penalty: number
  readonly LastMinute: number
  readonly Score: number | null
  /** In the order of the problems. */
  readonly CellList: readonly BoardCell[]
}
export type Scoreboard = {
  readonly ContestID: string
  readonly Edition: 'public' | 'jury'
  readonly State: ContestState
  readonly IsFrozen: boolean
  readonly ProblemList: readonly ContestProblem[]
  readonly RowList: readonly BoardRow[]
}
export const categories = ['general', 'sysops', 'operations'] as const
export type Category = (typeof categories)[number]
export type Clarification = {
  readonly ID: number
  /** Null: of the jury. */
  readonly FromTeamID: string | null
  readonly ToTeamIDList: readonly string[]
  readonly ToGroupIDList: readonly string[]
  readonly IsToAll: boolean
  readonly ProblemID: string | null
  readonly Category: string | null
  readonly Text: string
  readonly ReplyTo: number | null
  /** A question that nobody answered yet. */
  readonly IsOpen: boolean
  readonly CreatedTime: number
}
export type Balloon = {
  readonly ID: number
  readonly TeamID: string
  readonly ProblemID: string
  readonly Colour: string
  readonly IsFirst: boolean
  readonly IsDone: boolean
  readonly IsWithdrawn: boolean
  readonly CreatedTime: number
}
export type Rejudging = {
  readonly ID: number
  readonly Reason: string
  readonly State: 'open' | 'applied' | 'cancelled'
  readonly CreatedBy: string
  readonly CreatedTime: number
  readonly EndedTime: number | null
  readonly TotalSubmissionCount: number
  readonly JudgedSubmissionCount: number
  readonly ChangedSubmissionCount: number
}
export type RejudgedSubmission = {
  readonly SubmissionID: number
  readonly TeamID: string
  readonly ProblemID: string
  readonly OldResult: number
  /** Null where it is not judged yet. */
  readonly NewResult: number | null
}
export type SubmissionPlace = {
  readonly SubmissionID: number
  readonly TeamID: string
  readonly ProblemID: string
  /** Milliseconds. */
  readonly ContestTime: number
  readonly IsIgnored: boolean
}

type Empty = Record<never, never>
type Slice = { readonly Offset: number; readonly Limit: number }
type Operation<P, R> = { readonly params: P; readonly result: R }
type Place = { ContestID: string; ID: string }
type OfContest = { readonly Contest: Contest }
type OfTeam = { readonly Team: Team }
type OfRejudging = { readonly Rejudging: Rejudging }
type Snippet = { readonly SubmissionSnippet: SubmissionSnippet }

export type ContestOperations = {
  create_contest: Operation<
    Partial<ContestDraft> & Pick<ContestDraft, 'Name' | 'Style' | 'Duration'> & { ID: string },
    OfContest
  >
  get_contest: Operation<{ ID: string }, OfContest>
  get_contest_list: Operation<Slice, { readonly TotalContestCount: number; readonly ContestList: readonly Contest[] }>
  update_contest: Operation<Partial<ContestDraft> & { ID: string }, OfContest>
  delete_contest: Operation<{ ID: string }, Empty>
  put_contest_problem: Operation<
    Place & Omit<ContestProblem, 'ID' | 'DisplayName'>,
    { readonly Problem: ContestProblem }
  >
  delete_contest_problem: Operation<Place, Empty>
  put_contest_team: Operation<Place & Partial<TeamDraft> & { Name: string }, OfTeam>
  delete_contest_team: Operation<Place, Empty>
  get_contest_team_list: Operation<
    Slice & { ContestID: string },
    { readonly TotalTeamCount: number; readonly TeamList: readonly ListedTeam[] }
  >
  join_contest: Operation<{ ContestID: string }, OfTeam>
  put_contest_group: Operation<Place & { Name: string }, { readonly Group: Named }>
  delete_contest_group: Operation<Place, Empty>
  put_contest_organisation: Operation<Place & { Name: string }, { readonly Organisation: Named }>
  get_scoreboard: Operation<
    { ContestID: string; IsPublic?: boolean; GroupID?: string; KnownVersion?: string },
    { readonly Version: string; readonly Scoreboard: Scoreboard | null }
  >
  create_contest_submission: Operation<
    { ContestID: string; ProblemID: string; Language: string; Content: string },
    Snippet
  >
  get_contest_submission_list: Operation<
    { ContestID: string; SubmissionIDList: readonly number[] },
    { readonly SubmissionList: readonly SubmissionPlace[] }
  >
  ignore_submission: Operation<{ ID: number; IsIgnored: boolean }, Snippet>
  override_result: Operation<{ ID: number; Result: number; Password: string; Reason: string }, Snippet>
  create_clarification: Operation<
    {
      ContestID: string
      ProblemID?: string | undefined
      Category?: Category | undefined
      Text: string
      ReplyTo?: number | undefined
      ToTeamIDList?: readonly string[] | undefined
      ToGroupIDList?: readonly string[] | undefined
    },
    { readonly Clarification: Clarification }
  >
  get_clarification_list: Operation<
    Slice & { ContestID: string },
    { readonly TotalClarificationCount: number; readonly ClarificationList: readonly Clarification[] }
  >
  get_balloon_list: Operation<
    Slice & { ContestID: string },
    { readonly TotalBalloonCount: number; readonly BalloonList: readonly Balloon[] }
  >
  update_balloon: Operation<{ ContestID: string; ID: number; IsDone: boolean }, { readonly Balloon: Balloon }>
  create_rejudging: Operation<
    {
      ContestID: string
      ProblemID?: string | undefined
      TeamID?: string | undefined
      Language?: string | undefined
      Result?: number | undefined
      SubmissionIDList?: readonly number[] | undefined
      Reason: string
    },
    OfRejudging
  >
  get_rejudging: Operation<
    { ContestID: string; ID: number; Offset?: number; Limit?: number },
    OfRejudging & { readonly TotalSubmissionCount: number; readonly SubmissionList: readonly RejudgedSubmission[] }
  >
  get_rejudging_list: Operation<
    Slice & { ContestID: string },
    { readonly TotalRejudgingCount: number; readonly RejudgingList: readonly Rejudging[] }
  >
  apply_rejudging: Operation<{ ContestID: string; ID: number }, OfRejudging>
  cancel_rejudging: Operation<{ ContestID: string; ID: number }, OfRejudging>
  freeze_contest: Operation<{ ContestID: string }, OfContest>
  unfreeze_contest: Operation<{ ContestID: string; Force?: boolean }, OfContest>
  finalize_contest: Operation<{ ContestID: string; B?: number }, OfContest>
  reopen_contest: Operation<{ ContestID: string }, OfContest>
}
