/**
 * News since somebody last opened a sheet: marks, comments and changed verdicts for a student, their students' comments
 * for a teacher.
 */
import { type Actor, isAdmin, requireSignIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { taughtSubmissions } from '../sheet-access/sheet-access.ts'
import type { Sheets } from './sheets.ts'

export type SheetNews = {
  readonly sheetId: number
  readonly classId: string
  readonly title: string
  readonly markCount: number
  readonly commentCount: number
  /** The latest commented submissions, newest first. */
  readonly submissionIds: readonly number[]
  /** The latest submissions whose verdict a rejudging changed, newest first. */
  readonly rejudgedIds: readonly number[]
  readonly time: number
}

type Needs = { store: Store; clock: Clock; sheets: Pick<Sheets, 'find'> }

export type SheetNewsService = ReturnType<typeof makeSheetNews>

const mostMarks = 1_000
const mostComments = 1_000
const mostRejudged = 1_000
const mostSubmissions = 10

export function makeSheetNews({ store, clock, sheets }: Needs) {
  const { db } = store

  /** Sheets that the account sees as a student, and when it last opened each. Invitations are excluded. */
  const openSheets = (within: Db, accountId: number) =>
    within
      .selectFrom('class_member')
      .innerJoin('class', 'class.id', 'class_member.class_id')
      .innerJoin('sheet', 'sheet.class_id', 'class.id')
      .leftJoin('sheet_seen', (join) =>
        join.onRef('sheet_seen.sheet_id', '=', 'sheet.id').on('sheet_seen.account_id', '=', accountId),
      )
      .select(['sheet.id', 'sheet.title', 'class.public_id'])
      .where('class_member.account_id', '=', accountId)
      .where('class_member.role', '=', 'student')
      .where('class_member.is_invited', '=', 0)
      .where('class.is_archived', '=', 0)
      .where('sheet.is_published', '=', 1)
      .where('sheet.open_time', '<=', clock.now())

  const readMarks = (accountId: number) =>
    openSheets(db, accountId)
      .innerJoin('sheet_mark', 'sheet_mark.sheet_id', 'sheet.id')
      .select('sheet_mark.set_at as time')
      .where('sheet_mark.account_id', '=', accountId)
      .where((eb) => eb('sheet_mark.set_at', '>', eb.fn.coalesce('sheet_seen.seen_at', eb.val(-1))))
      .orderBy('sheet_mark.set_at', 'desc')
      .limit(mostMarks)
      .execute()

  /** The student's own submissions that can count in a sheet. */
  const ownSubmissions = (accountId: number) =>
    openSheets(db, accountId)
      .innerJoin('sheet_problem', 'sheet_problem.sheet_id', 'sheet.id')
      .innerJoin('submission', (join) =>
        join
          .onRef('submission.problem_id', '=', 'sheet_problem.problem_id')
          .onRef('submission.created_at', '>=', 'sheet.open_time')
          .on('submission.author_id', '=', accountId)
          .on('submission.contest_id', 'is', null),
      )

  const readRejudged = (accountId: number) =>
    ownSubmissions(accountId)
      .innerJoin('changed_verdict', 'changed_verdict.submission_id', 'submission.id')
      .select((eb) => eb.fn.coalesce('changed_verdict.changed_at', eb.val(0)).as('time'))
      .select('submission.id as submissionId')
      .where((eb) => eb('changed_verdict.changed_at', '>', eb.fn.coalesce('sheet_seen.seen_at', eb.val(-1))))
      .orderBy('changed_verdict.id', 'desc')
      .limit(mostRejudged)
      .execute()

  const readComments = (accountId: number) =>
    ownSubmissions(accountId)
      .innerJoin('submission_comment', 'submission_comment.submission_id', 'submission.id')
      .select(['submission_comment.created_at as time', 'submission.id as submissionId'])
      .where('submission_comment.author_id', '!=', accountId)
      .where((eb) => eb('submission_comment.created_at', '>', eb.fn.coalesce('sheet_seen.seen_at', eb.val(-1))))
      .orderBy('submission_comment.id', 'desc')
      .limit(mostComments)
      .execute()

  /** What students wrote on their own submissions, as far as their teacher may read these. */
  const readQuestions = (teacherId: number) =>
    taughtSubmissions(db)
      .innerJoin('class', 'class.id', 'sheet.class_id')
      .innerJoin('submission_comment', 'submission_comment.author_id', 'student.account_id')
      .innerJoin('submission', (join) =>
        join
          .onRef('submission.id', '=', 'submission_comment.submission_id')
          .onRef('submission.author_id', '=', 'student.account_id')
          .onRef('submission.problem_id', '=', 'sheet_problem.problem_id')
          .onRef('submission.created_at', '>=', 'sheet.open_time')
          .onRef('submission.created_at', '>=', 'student.joined_at')
          .on('submission.contest_id', 'is', null),
      )
      .leftJoin('sheet_seen', (join) =>
        join.onRef('sheet_seen.sheet_id', '=', 'sheet.id').on('sheet_seen.account_id', '=', teacherId),
      )
      .select(['sheet.id', 'sheet.title', 'class.public_id'])
      .select(['submission_comment.created_at as time', 'submission.id as submissionId'])
      .where('teacher.account_id', '=', teacherId)
      .where('class.is_archived', '=', 0)
      .where((eb) => eb('submission_comment.created_at', '>', eb.fn.coalesce('sheet_seen.seen_at', eb.val(-1))))
      .orderBy('submission_comment.id', 'desc')
      .limit(mostComments)
      .execute()

  return {
    /** Latest first. */
    async list(actor: Actor): Promise<SheetNews[]> {
      requireSignIn(actor)
      const { id: accountId, role } = actor.account
      const [marks, rejudged, received, asked] = await Promise.all([
        readMarks(accountId),
        readRejudged(accountId),
        readComments(accountId),
        role === 'problem_setter' || isAdmin(actor) ? readQuestions(accountId) : [],
      ])
      const comments = [...received, ...asked]
      const bySheet = Map.groupBy([...marks, ...rejudged, ...comments], ({ id }) => id)
      return [...bySheet.values()]
        .map((all): SheetNews => {
          const [{ id, title, public_id }] = all as [(typeof all)[number]]
          const ofSheet = <T extends { id: number }>(list: readonly T[]) => list.filter((one) => one.id === id)
          const commented = ofSheet(comments)
          return {
            sheetId: id,
            classId: public_id,
            title,
            markCount: ofSheet(marks).length,
            commentCount: commented.length,
            submissionIds: listIds(commented),
            rejudgedIds: listIds(ofSheet(rejudged)),
            time: Math.max(...all.map(({ time }) => time)),
          }
        })
        .sort((one, other) => other.time - one.time)
    },

    /** Marks everything so far as seen. */
    async see(actor: Actor, sheetId: number): Promise<void> {
      const { actor: reader } = await sheets.find(actor, sheetId)
      const seen = { seen_at: clock.now() }
      await store.write((trx) =>
        trx
          .insertInto('sheet_seen')
          .values({ sheet_id: sheetId, account_id: reader.account.id, ...seen })
          .onConflict((conflict) => conflict.columns(['sheet_id', 'account_id']).doUpdateSet(seen))
          .execute(),
      )
    },
  }
}

const listIds = (rows: readonly { submissionId: number }[]): number[] =>
  [...new Set(rows.map(({ submissionId }) => submissionId))].slice(0, mostSubmissions)
