/**
 * The tables of contests. `edition`: 0 for what the public sees, 1 for the jury. Durations are in ms, scores in
 * millionths; `solved_ms`, `pending_ms` and `frozen_from` are contest time in ms.
 */
import type { Generated } from 'kysely'

export type ContestTable = {
  id: Generated<number>
  public_id: string
  name: string
  formal_name: string | null
  style: string
  is_public: number
  is_open: number
  start_time: number | null
  countdown_pause: number | null
  duration: number
  freeze_duration: number | null
  penalty_minutes: number
  languages: string
  board_is_hidden: number
  shows_problems_to_public: number
  gold_medals: number
  silver_medals: number
  bronze_medals: number
  has_world_finals_ranks: number
  removed_intervals: string
  owner_id: number
  created_at: number
  frozen_from: number | null
  thawed_at: number | null
  thaw_time: number | null
  finalized_at: number | null
  extra_bronze: Generated<number>
  feed_epoch: Generated<number>
  feed_sequence: Generated<number>
  told_phase: Generated<number>
  next_tick: number | null
}

export type ContestPersonTable = {
  contest_id: number
  account_id: number
  role: string
}

export type ContestProblemTable = {
  id: Generated<number>
  contest_id: number
  public_id: string
  label: string
  problem_id: number
  ordinal: number
  colour: string
  /**
   * 1 if an owner of the problem added it, so that the contest opens it even if it is held, and releases it at the end.
   */
  opens_held: Generated<number>
}

export type ContestOrganisationTable = {
  id: Generated<number>
  contest_id: number
  public_id: string
  name: string
}

export type ContestGroupTable = {
  id: Generated<number>
  contest_id: number
  public_id: string
  name: string
}

export type ContestTeamTable = {
  id: Generated<number>
  contest_id: number
  public_id: string
  label: string
  name: string
  organisation_id: number | null
  extra_penalty: number
  is_hidden: number
}

export type ContestTeamGroupTable = {
  team_id: number
  group_id: number
}

export type ContestMemberTable = {
  contest_id: number
  account_id: number
  team_id: number
  position: number
  /** 1 if the jury added the account, which has not submitted anything yet. */
  is_invited: Generated<number>
}

export type ContestSubmissionTable = {
  submission_id: number
  contest_id: number
  team_id: number
  contest_problem_id: number
  handed_in_at: number
  is_ignored: Generated<number>
  group_scores: string | null
  entry_point: string | null
}

export type PresentResultTable = {
  submission_id: number
  result: number
  finished_at: number
  is_rejudged: number
  cpu_ms: number | null
  memory_bytes: number | null
  finished_tests: number
  total_tests: number
  score: number | null
  maximum_score: number | null
  report: string | null
}

export type ContestCellTable = {
  contest_id: number
  team_id: number
  contest_problem_id: number
  edition: number
  judged: number
  pending: number
  is_solved: number
  solved_ms: number | null
  solved_by: number | null
  pending_ms: number | null
  pending_id: number | null
  score: number | null
  finished: number
}

export type ContestRowTable = {
  contest_id: number
  team_id: number
  edition: number
  solved: number
  penalty: number
  last_minute: number
  score: number
  last_ms: number
}

export type ContestClarificationTable = {
  id: Generated<number>
  contest_id: number
  from_team_id: number | null
  author_id: number
  contest_problem_id: number | null
  category: string | null
  text: string
  reply_to: number | null
  is_to_all: number
  is_open: number
  created_at: number
}

export type ContestClarificationTeamTable = {
  clarification_id: number
  team_id: number
}

export type ContestClarificationGroupTable = {
  clarification_id: number
  group_id: number
}

export type ContestBalloonTable = {
  id: Generated<number>
  contest_id: number
  team_id: number
  contest_problem_id: number
  is_done: Generated<number>
  is_withdrawn: Generated<number>
  created_at: number
}

export type ContestRejudgingTable = {
  id: Generated<number>
  contest_id: number
  reason: string
  state: string
  created_by: number
  created_at: number
  ended_at: number | null
}

export type ContestRejudgedTable = {
  rejudging_id: number
  submission_id: number
  old_result: number
  new_result: number | null
}

export type ContestLogTable = {
  contest_id: number
  sequence: number
  type: string
  object_id: string | null
}

export type ContestsSchema = {
  contest: ContestTable
  contest_person: ContestPersonTable
  contest_problem: ContestProblemTable
  contest_organisation: ContestOrganisationTable
  contest_group: ContestGroupTable
  contest_team: ContestTeamTable
  contest_team_group: ContestTeamGroupTable
  contest_member: ContestMemberTable
  contest_submission: ContestSubmissionTable
  present_result: PresentResultTable
  contest_cell: ContestCellTable
  contest_row: ContestRowTable
  contest_clarification: ContestClarificationTable
  contest_clarification_team: ContestClarificationTeamTable
  contest_clarification_group: ContestClarificationGroupTable
  contest_balloon: ContestBalloonTable
  contest_rejudging: ContestRejudgingTable
  contest_rejudged: ContestRejudgedTable
  contest_log: ContestLogTable
}
