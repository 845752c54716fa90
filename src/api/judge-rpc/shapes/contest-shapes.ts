/** Contests, their parts and their boards in this API's format. */
import { Type } from 'typebox'
import {
  type ContestState,
  type ContestStyle,
  contestIdPattern,
  endOf,
  frozenSince,
  isThawed,
  stateOf,
} from '../../../judge/contest-access/contest.ts'
import { toMinute } from '../../../judge/contests/board/cell.ts'
import type { BoardProblem } from '../../../judge/contests/board/ranking.ts'
import type { ContestChange } from '../../../judge/contests/contest-draft.ts'
import type { ListedTeam, Team } from '../../../judge/contests/contest-teams.ts'
import type { ShownContest } from '../../../judge/contests/contests.ts'
import type { ShownBoard } from '../../../judge/contests/scoreboards.ts'
import { toPoints } from '../../../lib/judging-rules/scoring/rules.ts'
import { AccountName, NullableUint64, oneOf, orNull, Text, Uint64, Uuid } from './basic-shapes.ts'

export const ContestID = Type.String({ pattern: contestIdPattern })
/** Milliseconds since the epoch. */
export const Time = Type.Integer({ format: 'uint64', minimum: 0, maximum: 8_640_000_000_000_000 })
export const NullableTime = orNull<number>(Time)
const yearMs = 366 * 24 * 60 * 60_000
/** At least a minute. */
const Duration = Type.Integer({ minimum: 60_000, maximum: yearMs })
const NullableDuration = orNull<number>(Type.Integer({ format: 'uint64', minimum: 0, maximum: yearMs }))
const Count = Type.Integer({ minimum: 0, maximum: 10_000 })
const Language = Type.String({ minLength: 1, maxLength: 32 })
const AccountNames = Type.Array(AccountName, { maxItems: 1_000 })

const fields = {
  Name: Text(1, 256),
  FormalName: orNull<string>(Text(1, 256)),
  Style: oneOf<ContestStyle>(['icpc', 'ioi']),
  IsPublic: Type.Boolean(),
  IsOpen: Type.Boolean(),
  StartTime: NullableTime,
  CountdownPause: NullableDuration,
  Duration,
  FreezeDuration: NullableDuration,
  PenaltyMinute: Count,
  LanguageList: Type.Array(Type.Object({ Language, TimeFactor: Type.Number({ minimum: 1, maximum: 10 }) }), {
    maxItems: 100,
  }),
  BoardIsHidden: Type.Boolean(),
  ShowsProblemsToPublic: Type.Boolean(),
  GoldMedalCount: Count,
  SilverMedalCount: Count,
  BronzeMedalCount: Count,
  WorldFinalsRanks: Type.Boolean(),
  RemovedIntervalList: Type.Array(Type.Object({ StartTime: Time, EndTime: Time }), { maxItems: 100 }),
  JuryList: AccountNames,
  StaffList: AccountNames,
}
const { Name, Style } = fields

export const contestChange = Type.Partial(Type.Object(fields)).properties
export const contestDraft = { ...contestChange, Name, Style, Duration }
/** Members whose value may be null; null in any other leaves it unchanged. */
export const nullableContestMembers = ['FormalName', 'StartTime', 'CountdownPause', 'FreezeDuration']

type Given = {
  Name?: string
  FormalName?: string | null
  Style?: ContestStyle
  IsPublic?: boolean
  IsOpen?: boolean
  StartTime?: number | null
  CountdownPause?: number | null
  Duration?: number
  FreezeDuration?: number | null
  PenaltyMinute?: number
  LanguageList?: readonly { Language: string; TimeFactor: number }[]
  BoardIsHidden?: boolean
  ShowsProblemsToPublic?: boolean
  GoldMedalCount?: number
  SilverMedalCount?: number
  BronzeMedalCount?: number
  WorldFinalsRanks?: boolean
  RemovedIntervalList?: readonly { StartTime: number; EndTime: number }[]
  JuryList?: readonly string[]
  StaffList?: readonly string[]
}

export const toContestChange = (given: Given): ContestChange => ({
  ...(given.Name !== undefined && { name: given.Name }),
  ...(given.FormalName !== undefined && { formalName: given.FormalName }),
  ...(given.Style !== undefined && { style: given.Style }),
  ...(given.IsPublic !== undefined && { isPublic: given.IsPublic }),
  ...(given.IsOpen !== undefined && { isOpen: given.IsOpen }),
  ...(given.StartTime !== undefined && { startTime: given.StartTime }),
  ...(given.CountdownPause !== undefined && { countdownPauseMs: given.CountdownPause }),
  ...(given.Duration !== undefined && { durationMs: given.Duration }),
  ...(given.FreezeDuration !== undefined && { freezeDurationMs: given.FreezeDuration }),
  ...(given.PenaltyMinute !== undefined && { penaltyMinutes: given.PenaltyMinute }),
  ...(given.LanguageList !== undefined && {
    languages: given.LanguageList.map(({ Language, TimeFactor }) => ({ language: Language, timeFactor: TimeFactor })),
  }),
  ...(given.BoardIsHidden !== undefined && { boardIsHidden: given.BoardIsHidden }),
  ...(given.ShowsProblemsToPublic !== undefined && { showsProblemsToPublic: given.ShowsProblemsToPublic }),
  ...(given.GoldMedalCount !== undefined && { goldMedals: given.GoldMedalCount }),
  ...(given.SilverMedalCount !== undefined && { silverMedals: given.SilverMedalCount }),
  ...(given.BronzeMedalCount !== undefined && { bronzeMedals: given.BronzeMedalCount }),
  ...(given.WorldFinalsRanks !== undefined && { hasWorldFinalsRanks: given.WorldFinalsRanks }),
  ...(given.RemovedIntervalList !== undefined && {
    removedIntervals: given.RemovedIntervalList.map(({ StartTime, EndTime }) => ({ start: StartTime, end: EndTime })),
  }),
  ...(given.JuryList !== undefined && { juryNames: given.JuryList }),
  ...(given.StaffList !== undefined && { staffNames: given.StaffList }),
})

export const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })
export const problemPart = { Label: Text(1, 16), UUID: Uuid, Ordinal: Count, Colour }
export const ContestProblemSchema = Type.Object({ ID: ContestID, ...problemPart, DisplayName: Type.String() })
export const NamedSchema = Type.Object({ ID: ContestID, Name: Type.String() })
const states: readonly ContestState[] = ['before', 'running', 'frozen', 'ended', 'thawed', 'finalized']
const roles = ['jury', 'staff', 'team', 'public'] as const

export const ContestSchema = Type.Object({
  ID: ContestID,
  ...fields,
  Owner: Type.String(),
  State: oneOf(states),
  EndTime: NullableTime,
  /** When it was frozen; null if it is not. */
  FrozenTime: NullableTime,
  ThawedTime: NullableTime,
  FinalizedTime: NullableTime,
  /** The caller's role in the contest. */
  Role: oneOf(roles),
  TeamID: orNull<string>(ContestID),
  ProblemList: Type.Array(ContestProblemSchema),
  GroupList: Type.Array(NamedSchema),
})

export const presentContestProblem = (problem: Omit<BoardProblem, 'id'>) => ({
  ID: problem.publicId,
  Label: problem.label,
  UUID: problem.uuid,
  Ordinal: problem.ordinal,
  Colour: problem.colour,
  DisplayName: problem.name,
})

export const presentNamed = ({ id, name }: { id: string; name: string }) => ({ ID: id, Name: name })

export function presentContest({ contest, standing, now, ...shown }: ShownContest) {
  const { isJury, isStaff, teamId } = standing
  const role: (typeof roles)[number] = isJury ? 'jury' : isStaff ? 'staff' : teamId === null ? 'public' : 'team'
  return {
    ID: contest.publicId,
    Name: contest.name,
    FormalName: contest.formalName,
    Style: contest.style,
    IsPublic: contest.isPublic,
    IsOpen: contest.isOpen,
    StartTime: contest.startTime,
    CountdownPause: contest.countdownPauseMs,
    Duration: contest.durationMs,
    FreezeDuration: contest.freezeDurationMs,
    PenaltyMinute: contest.penaltyMinutes,
    LanguageList: contest.languages.map(({ language, timeFactor }) => ({ Language: language, TimeFactor: timeFactor })),
    BoardIsHidden: contest.boardIsHidden,
    ShowsProblemsToPublic: contest.showsProblemsToPublic,
    GoldMedalCount: contest.goldMedals,
    SilverMedalCount: contest.silverMedals,
    BronzeMedalCount: contest.bronzeMedals,
    WorldFinalsRanks: contest.hasWorldFinalsRanks,
    RemovedIntervalList: contest.removedIntervals.map(({ start, end }) => ({ StartTime: start, EndTime: end })),
    JuryList: [...shown.juryNames],
    StaffList: [...shown.staffNames],
    Owner: shown.ownerName,
    State: stateOf(contest, now),
    EndTime: endOf(contest),
    FrozenTime: frozenSince(contest, now),
    ThawedTime: isThawed(contest, now) ? contest.thawedAt : null,
    FinalizedTime: contest.finalizedAt,
    Role: role,
    TeamID: shown.teamId,
    ProblemList: shown.problems.map(presentContestProblem),
    GroupList: shown.groups.map(presentNamed),
  }
}

export const teamPart = {
  Label: Text(0, 64),
  Name: Text(1, 256),
  AccountNameList: Type.Array(AccountName, { maxItems: 1_000 }),
  OrganisationID: orNull<string>(ContestID),
  GroupIDList: Type.Array(ContestID, { maxItems: 500 }),
  ExtraPenalty: Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }),
  IsHidden: Type.Boolean(),
}
export const TeamSchema = Type.Object({ ID: ContestID, ...teamPart })

/** `PasswordAccountList`: those for which the reader may set a new password. */
export const ListedTeamSchema = Type.Object({
  ...TeamSchema.properties,
  PasswordAccountList: Type.Array(Type.Object({ ID: Uint64, AccountName })),
})

export const presentTeam = (team: Team) => ({
  ID: team.id,
  Label: team.label,
  Name: team.name,
  AccountNameList: [...team.accountNames],
  OrganisationID: team.organisationId,
  GroupIDList: [...team.groupIds],
  ExtraPenalty: team.extraPenalty,
  IsHidden: team.isHidden,
})

export const presentListedTeam = (team: ListedTeam) => ({
  ...presentTeam(team),
  PasswordAccountList: team.passwordAccounts.map(({ id, name }) => ({ ID: id, AccountName: name })),
})

const NullableScore = orNull<number>(Type.Number({ minimum: 0 }))
const CellSchema = Type.Object({
  NumJudged: Uint64,
  NumPending: Uint64,
  IsSolved: Type.Boolean(),
  IsFirst: Type.Boolean(),
  /** When it was solved; in `ioi`, when its score last rose. */
  Minute: NullableUint64,
  Score: NullableScore,
})

export const ScoreboardSchema = Type.Object({
  ContestID,
  Edition: oneOf(['public', 'jury'] as const),
  State: oneOf(states),
  IsFrozen: Type.Boolean(),
  ProblemList: Type.Array(ContestProblemSchema),
  RowList: Type.Array(
    Type.Object({
      Rank: Uint64,
      TeamID: ContestID,
      Label: Type.String(),
      Name: Type.String(),
      OrganisationID: orNull<string>(ContestID),
      OrganisationName: orNull<string>(Type.String()),
      GroupIDList: Type.Array(ContestID),
      NumSolved: Uint64,
      Penalty: Type.Integer(),
      LastMinute: Uint64,
      Score: NullableScore,
      CellList: Type.Array(CellSchema),
    }),
  ),
})

/** A hash of what is shown: a counter of changes would tell the public what happens behind a frozen board. */
export const boardVersionOf = (shown: ShownBoard, now: number): string =>
  shown.board.render(`judge ${shown.key}`, () => JSON.stringify(presentScoreboard(shown, now))).etag.slice(1, -1)

export function presentScoreboard({ board, rows }: ShownBoard, now: number) {
  const { contest, edition, problems } = board
  const isIoi = contest.style === 'ioi'
  return {
    ContestID: contest.publicId,
    Edition: edition === 0 ? ('public' as const) : ('jury' as const),
    State: stateOf(contest, now),
    IsFrozen: frozenSince(contest, now) !== null,
    ProblemList: problems.map(presentContestProblem),
    RowList: rows.map(({ team, ...row }) => ({
      Rank: row.rank,
      TeamID: team.publicId,
      Label: team.label,
      Name: team.name,
      OrganisationID: team.organisationId,
      OrganisationName: team.organisationName,
      GroupIDList: [...team.groupIds],
      NumSolved: row.solved,
      Penalty: row.penalty,
      LastMinute: row.lastMinute,
      Score: isIoi ? toPoints(row.score) : null,
      CellList: row.cells.map((cell) => ({
        NumJudged: cell.judged,
        NumPending: cell.pending,
        IsSolved: cell.isSolved,
        IsFirst: cell.isFirst,
        Minute: cell.solvedMs === null ? null : toMinute(cell.solvedMs),
        Score: isIoi ? toPoints(cell.score ?? 0) : null,
      })),
    })),
  }
}
