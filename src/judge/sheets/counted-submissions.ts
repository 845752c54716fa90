/** Counting in a sheet: each student's best submission in time to each problem, with fewer points if late. */
import { sql } from 'kysely'
import type { Db } from '../../store/schema/schema.ts'
import { findLastMoment } from '../sheet-access/sheet-access.ts'

/** Submissions of students to the sheet's problems since it opened. Extensions and late time are applied afterwards. */
export const countingSubmissions = (db: Db, sheetId: number) =>
  db
    .selectFrom('sheet')
    .innerJoin('sheet_problem', 'sheet_problem.sheet_id', 'sheet.id')
    .innerJoin('class_member', 'class_member.class_id', 'sheet.class_id')
    .innerJoin('submission', (join) =>
      join
        .onRef('submission.problem_id', '=', 'sheet_problem.problem_id')
        .onRef('submission.author_id', '=', 'class_member.account_id')
        .onRef('submission.created_at', '>=', 'sheet.open_time')
        // Contest submissions count only in the contest.
        .on('submission.contest_id', 'is', null),
    )
    .where('sheet.id', '=', sheetId)
    .where('class_member.role', '=', 'student')

/** The student accepted the class, or an owner of the problem added it to the sheet. */
export const isBound = sql<boolean>`(class_member.is_invited = 0 or sheet_problem.opens_held = 1)`

/** Of others, teachers know what everybody knows: submissions to released problems. */
export const isKnownToTeachers = sql<boolean>`(${isBound} or problem.is_held = 0)`

/** What counted in the sheet for students who have left the class. */
export const countingSubmissionsOfLeft = (db: Db, sheetId: number) =>
  db
    .selectFrom('left_submission')
    .innerJoin('submission', 'submission.id', 'left_submission.submission_id')
    .innerJoin('sheet_problem', (join) =>
      join
        .onRef('sheet_problem.sheet_id', '=', 'left_submission.sheet_id')
        .onRef('sheet_problem.problem_id', '=', 'submission.problem_id'),
    )
    .where('left_submission.sheet_id', '=', sheetId)

export type Deadline = {
  readonly dueTime: number | null
  readonly lateUntil: number | null
  readonly lateFactor: number
}

export type Try = {
  readonly id: number
  readonly createdAt: number
  readonly isFinished: boolean
  /** The judge failed, so it says nothing of the program. */
  readonly isFailure?: boolean
  readonly isAccepted: boolean
  readonly score: number | null
  readonly maximumScore: number | null
}

export type CountedCell = {
  /** In millionths. Null without a submission that counts; with tries, the judge failed at all of them. */
  readonly points: number | null
  readonly tries: number
  readonly isLate: boolean
  /** The first submission after the due time: all later ones are late, too. */
  readonly firstLateId: number | null
  readonly bestId: number | null
  /** Tries that are not judged yet, which count 0 points until then. */
  readonly waiting: number
  /** The last of the tries. */
  readonly latest: { readonly id: number; readonly createdAt: number } | null
}

export const emptyCell: CountedCell = {
  points: null,
  tries: 0,
  isLate: false,
  firstLateId: null,
  bestId: null,
  waiting: 0,
  latest: null,
}

const whole = 1_000_000n

/** If points are equal, the earlier submission counts. Tries must be given in the order of submission. */
export function countTry(cell: CountedCell, one: Try, worth: number, deadline: Deadline): CountedCell {
  const { dueTime, lateUntil, lateFactor } = deadline
  const last = findLastMoment(dueTime, lateUntil)
  const isLate = dueTime !== null && one.createdAt > dueTime
  const firstLateId = cell.firstLateId ?? (isLate ? one.id : null)
  if (last !== null && one.createdAt > last) return { ...cell, firstLateId }
  const tries = cell.tries + 1
  const latest = { id: one.id, createdAt: one.createdAt }
  const waiting = cell.waiting + Number(!one.isFinished)
  if (one.isFailure) {
    const first = cell.bestId === null ? { bestId: one.id, isLate } : {}
    return { ...cell, ...first, firstLateId, tries, latest }
  }
  const points = one.isFinished ? pointsOf(one, worth, isLate ? lateFactor : Number(whole)) : 0
  if (cell.points !== null && points <= cell.points) return { ...cell, firstLateId, tries, waiting, latest }
  return { points, tries, isLate, firstLateId, bestId: one.id, waiting, latest }
}

/** Share × worth × factor, rounded once to millionths. */
function pointsOf({ isAccepted, score, maximumScore }: Try, worth: number, factor: number): number {
  const [part, most] =
    score === null || !maximumScore ? [isAccepted ? 1n : 0n, 1n] : [BigInt(score), BigInt(maximumScore)]
  const numerator = BigInt(worth) * part * BigInt(factor)
  const denominator = most * whole
  return Number((2n * numerator + denominator) / (2n * denominator))
}
