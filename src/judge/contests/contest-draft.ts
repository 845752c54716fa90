/** Contests as created and changed: defaults, columns, and validation. */
import { Failure } from '../../lib/failure.ts'
import { type Contest, hasStarted } from '../contest-access/contest.ts'

export type ContestFields = Pick<
  Contest,
  | 'name'
  | 'formalName'
  | 'style'
  | 'isPublic'
  | 'isOpen'
  | 'startTime'
  | 'countdownPauseMs'
  | 'durationMs'
  | 'freezeDurationMs'
  | 'penaltyMinutes'
  | 'languages'
  | 'boardIsHidden'
  | 'showsProblemsToPublic'
  | 'goldMedals'
  | 'silverMedals'
  | 'bronzeMedals'
  | 'hasWorldFinalsRanks'
  | 'removedIntervals'
>

export type ContestChange = Partial<ContestFields> & {
  readonly juryNames?: readonly string[]
  readonly staffNames?: readonly string[]
}

export const contestDefaults = {
  formalName: null,
  isPublic: false,
  isOpen: false,
  startTime: null,
  countdownPauseMs: null,
  freezeDurationMs: null,
  penaltyMinutes: 20,
  languages: [],
  boardIsHidden: false,
  showsProblemsToPublic: false,
  goldMedals: 4,
  silverMedals: 4,
  bronzeMedals: 4,
  hasWorldFinalsRanks: false,
  removedIntervals: [],
} satisfies Partial<ContestFields>

export const toColumns = (fields: ContestFields) => ({
  name: fields.name,
  formal_name: fields.formalName,
  style: fields.style,
  is_public: Number(fields.isPublic),
  is_open: Number(fields.isOpen),
  start_time: fields.startTime,
  countdown_pause: fields.countdownPauseMs,
  duration: fields.durationMs,
  freeze_duration: fields.freezeDurationMs,
  penalty_minutes: fields.penaltyMinutes,
  languages: JSON.stringify(fields.languages),
  board_is_hidden: Number(fields.boardIsHidden),
  shows_problems_to_public: Number(fields.showsProblemsToPublic),
  gold_medals: fields.goldMedals,
  silver_medals: fields.silverMedals,
  bronze_medals: fields.bronzeMedals,
  has_world_finals_ranks: Number(fields.hasWorldFinalsRanks),
  removed_intervals: JSON.stringify(fields.removedIntervals),
})

/** Sorts the removed intervals and refuses invalid fields. */
export function checkFields<F extends ContestFields>(fields: F): F {
  const { startTime, countdownPauseMs, durationMs, freezeDurationMs } = fields
  if (startTime !== null && countdownPauseMs !== null)
    throw invalid('CountdownPause', 'is for a contest whose StartTime is null')
  if (freezeDurationMs !== null && freezeDurationMs > durationMs)
    throw invalid('FreezeDuration', 'must not be over Duration')
  const names = fields.languages.map(({ language }) => language)
  if (new Set(names).size < names.length) throw invalid('LanguageList', 'names a language twice')
  const removedIntervals = [...fields.removedIntervals].sort((a, b) => a.start - b.start)
  for (const [i, { start, end }] of removedIntervals.entries()) {
    if (end <= start) throw invalid('RemovedIntervalList', 'has an interval that ends before it begins')
    if (i > 0 && removedIntervals[i - 1]!.end > start)
      throw invalid('RemovedIntervalList', 'has intervals that overlap')
  }
  return { ...fields, removedIntervals }
}

const graceMs = 30_000

/** The start can't be moved once it has passed, nor within 30 seconds before the old or the new time. */
export function demandMovableStart(contest: Contest, startTime: number | null, now: number): void {
  const old = contest.startTime
  if (old === startTime) return
  const isClose = (time: number | null) => time !== null && time - now < graceMs
  if (!hasStarted(contest, now) && !isClose(old) && !isClose(startTime)) return
  const message =
    'The start can’t be moved once the contest has started, nor within 30 seconds of the old or the new time.'
  throw new Failure('precondition', 'start-is-near', message)
}

export const invalid = (field: string, reason: string) =>
  new Failure('invalid', 'invalid-contest', `${field} ${reason}.`, { faults: [{ field, reason }] })

type Person = { readonly kind: string; readonly role: string }

/** Executors and organisations take no part in contests. */
export function demandPerson<T extends Person>(account: T | undefined, field: string, name: string): asserts account {
  if (account?.kind !== 'user') throw invalid(field, `names ${name}, and there is no such account`)
  if (account.role === 'worker') throw invalid(field, `names ${name}, which is an executor's account`)
}
