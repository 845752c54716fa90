/** A contest as the rest of the judge sees it, and its clock. */
import type { Selectable } from 'kysely'
import type { ContestTable } from '../../store/schema/contest-tables.ts'

/** Contest ids have the same form as class ids. */
export const contestIdPattern = '^[A-Za-z0-9_][A-Za-z0-9_-]{0,35}$'

export type ContestStyle = 'icpc' | 'ioi'
export type LanguageFactor = { readonly language: string; readonly timeFactor: number }
/** Wall clock, ms since the epoch. */
export type Interval = { readonly start: number; readonly end: number }

export type Contest = {
  readonly id: number
  readonly publicId: string
  readonly name: string
  readonly formalName: string | null
  readonly style: ContestStyle
  readonly isPublic: boolean
  readonly isOpen: boolean
  readonly startTime: number | null
  readonly countdownPauseMs: number | null
  readonly durationMs: number
  readonly freezeDurationMs: number | null
  readonly penaltyMinutes: number
  /** Empty means every language. */
  readonly languages: readonly LanguageFactor[]
  readonly boardIsHidden: boolean
  readonly showsProblemsToPublic: boolean
  readonly goldMedals: number
  readonly silverMedals: number
  readonly bronzeMedals: number
  readonly hasWorldFinalsRanks: boolean
  readonly removedIntervals: readonly Interval[]
  readonly ownerId: number
  /** The contest time at which the jury froze it by hand. */
  readonly frozenFromMs: number | null
  readonly thawedAt: number | null
  /** When it is due to be thawed. */
  readonly thawTime: number | null
  readonly finalizedAt: number | null
  readonly extraBronze: number
  readonly feedEpoch: number
  /** The number of its last event; every visible change takes the next number. */
  readonly sequence: number
  /** See `loggedPhases` in contest-phases. */
  readonly loggedPhase: number
}

export const toContest = (row: Selectable<ContestTable>): Contest => ({
  id: row.id,
  publicId: row.public_id,
  name: row.name,
  formalName: row.formal_name,
  style: row.style as ContestStyle,
  isPublic: row.is_public === 1,
  isOpen: row.is_open === 1,
  startTime: row.start_time,
  countdownPauseMs: row.countdown_pause,
  durationMs: row.duration,
  freezeDurationMs: row.freeze_duration,
  penaltyMinutes: row.penalty_minutes,
  languages: JSON.parse(row.languages),
  boardIsHidden: row.board_is_hidden === 1,
  showsProblemsToPublic: row.shows_problems_to_public === 1,
  goldMedals: row.gold_medals,
  silverMedals: row.silver_medals,
  bronzeMedals: row.bronze_medals,
  hasWorldFinalsRanks: row.has_world_finals_ranks === 1,
  removedIntervals: JSON.parse(row.removed_intervals),
  ownerId: row.owner_id,
  frozenFromMs: row.frozen_from,
  thawedAt: row.thawed_at,
  thawTime: row.thaw_time,
  finalizedAt: row.finalized_at,
  extraBronze: row.extra_bronze,
  feedEpoch: row.feed_epoch,
  sequence: row.feed_sequence,
  loggedPhase: row.told_phase,
})

type Timed = Pick<Contest, 'startTime' | 'durationMs' | 'removedIntervals'>
type Freezing = Timed & Pick<Contest, 'freezeDurationMs' | 'frozenFromMs' | 'thawedAt'>

/** Time since the start without the removed intervals; negative before the start. Null without a start time. */
export function contestTimeOf({ startTime, removedIntervals }: Timed, at: number): number | null {
  if (startTime === null) return null
  if (at <= startTime) return at - startTime
  let removed = 0
  for (const { start, end } of removedIntervals) {
    const from = Math.max(start, startTime)
    const to = Math.min(end, at)
    if (to > from) removed += to - from
  }
  return at - startTime - removed
}

/** The wall time at which this contest time has passed, after any removed interval. */
export function wallTimeOf({ startTime, removedIntervals }: Timed, contestMs: number): number | null {
  if (startTime === null) return null
  let at = startTime + contestMs
  for (const { start, end } of removedIntervals) {
    const from = Math.max(start, startTime)
    if (end > from && from < at) at += end - from
  }
  return at
}

export const endOf = (contest: Timed): number | null => wallTimeOf(contest, contest.durationMs)

export const hasStarted = ({ startTime }: Timed, now: number): boolean => startTime !== null && startTime <= now

export function hasEnded(contest: Timed, now: number): boolean {
  const end = endOf(contest)
  return end !== null && end <= now
}

export const isRunning = (contest: Timed, now: number): boolean => hasStarted(contest, now) && !hasEnded(contest, now)

/** The contest time from which submissions are frozen until a thaw; null without a freeze. */
export function freezeStartOf({ durationMs, freezeDurationMs, frozenFromMs }: Freezing): number | null {
  if (frozenFromMs !== null) return frozenFromMs
  return freezeDurationMs === null || freezeDurationMs === 0 ? null : Math.max(0, durationMs - freezeDurationMs)
}

/** Since when the board is frozen; null if it is not frozen, or no longer. */
export function frozenSince(contest: Freezing, now: number): number | null {
  const from = freezeStartOf(contest)
  if (from === null || contest.thawedAt !== null) return null
  const at = wallTimeOf(contest, from)
  return at !== null && at <= now && hasStarted(contest, now) ? at : null
}

/** Everybody may see everything: it was thawed, or it ended without a freeze. */
export const isThawed = (contest: Freezing, now: number): boolean =>
  hasEnded(contest, now) && (contest.thawedAt !== null || freezeStartOf(contest) === null)

/** Whether the public may know the verdict of a submission made at this contest time. */
export function isBeforeFreeze(contest: Freezing, contestMs: number): boolean {
  const from = freezeStartOf(contest)
  return contest.thawedAt !== null || from === null || contestMs < from
}

export type ContestState = 'before' | 'running' | 'frozen' | 'ended' | 'thawed' | 'finalized'

export function stateOf(contest: Contest, now: number): ContestState {
  if (!hasStarted(contest, now)) return 'before'
  if (contest.finalizedAt !== null) return 'finalized'
  if (!hasEnded(contest, now)) return frozenSince(contest, now) === null ? 'running' : 'frozen'
  return isThawed(contest, now) ? 'thawed' : 'ended'
}
