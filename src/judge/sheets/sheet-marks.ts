/** Marks: a teacher's points or comment for a student's problem, given for the submission that the teacher saw. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { cellKey, countCells } from './counted-cells.ts'
import { countingSubmissions, isKnownToTeachers } from './counted-submissions.ts'
import { type FoundSheet, findStudent, type Sheets } from './sheets.ts'

export type StoredMark = {
  readonly points: number | null
  readonly comment: string
  /** The teacher's account name, and the name that they show. */
  readonly setBy: string
  readonly setByName: string
  readonly setAt: number
  /** The submission that was marked; null if there was none. */
  readonly submissionId: number | null
}

/** `newerId`: the latest submission that counts and came after the mark was set. */
export type Mark = StoredMark & { readonly newerId: number | null }

export type MarkDraft = {
  readonly sheetId: number
  readonly accountName: string
  readonly uuid: string
  readonly points: number | null
  readonly comment: string
  /** The submission that the teacher saw; by default the best one. */
  readonly submissionId: number | undefined
}

/** By `cellKey`. */
export async function readMarks(db: Db, sheetId: number): Promise<Map<string, StoredMark>> {
  const rows = await db
    .selectFrom('sheet_mark')
    .innerJoin('problem', 'problem.id', 'sheet_mark.problem_id')
    .innerJoin('account', 'account.id', 'sheet_mark.set_by')
    .select(['sheet_mark.account_id', 'problem.uuid', 'sheet_mark.points', 'sheet_mark.comment'])
    .select(['sheet_mark.set_at as setAt', 'sheet_mark.submission_id as submissionId'])
    .select(['account.name as setBy', 'account.display_name as setByName'])
    .where('sheet_id', '=', sheetId)
    .execute()
  return new Map(rows.map(({ account_id, uuid, ...mark }) => [cellKey(account_id, uuid), mark]))
}

export function makeSheetMarks({ store, clock, sheets }: { store: Store; clock: Clock; sheets: Sheets }) {
  type Place = { readonly accountId: number; readonly uuid: string; readonly submissionId: number | undefined }

  async function findMarked(trx: Db, { sheet }: FoundSheet, { accountId, uuid, submissionId }: Place) {
    if (submissionId === undefined) {
      const cells = await countCells(trx, sheet, { accountId })
      return cells.get(cellKey(accountId, uuid))?.bestId ?? null
    }
    const found = await countingSubmissions(trx, sheet.id)
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .select('submission.id')
      .where('submission.id', '=', submissionId)
      .where('submission.author_id', '=', accountId)
      .where('problem.uuid', '=', uuid)
      .where(isKnownToTeachers)
      .executeTakeFirst()
    const message = `There is no submission ${submissionId} of this student to this problem.`
    demand(found, 'not-found', 'submission-unknown', message)
    return submissionId
  }

  async function putWithin(trx: Db, actor: Actor, draft: MarkDraft): Promise<Mark | null> {
    const found = await sheets.teach(actor, draft.sheetId, trx)
    const { sheet, inClass, actor: teacher } = found
    const student = await findStudent(trx, inClass, draft.accountName)
    const uuid = draft.uuid.toLowerCase()
    const isThere = sheet.problems.some((problem) => problem.uuid === uuid)
    demand(isThere, 'not-found', 'problem-unknown', `The sheet has no problem ${draft.uuid}.`)
    const { id: problemId } = await trx
      .selectFrom('problem')
      .select('id')
      .where('uuid', '=', uuid)
      .executeTakeFirstOrThrow()
    const { points, comment, submissionId } = draft
    if (points === null && comment === '') {
      await trx
        .deleteFrom('sheet_mark')
        .where('sheet_id', '=', sheet.id)
        .where('account_id', '=', student.id)
        .where('problem_id', '=', problemId)
        .execute()
      return null
    }
    const entry = {
      points,
      comment,
      set_by: teacher.account.id,
      set_at: clock.now(),
      submission_id: await findMarked(trx, found, { accountId: student.id, uuid, submissionId }),
    }
    await trx
      .insertInto('sheet_mark')
      .values({ sheet_id: sheet.id, account_id: student.id, problem_id: problemId, ...entry })
      .onConflict((conflict) => conflict.columns(['sheet_id', 'account_id', 'problem_id']).doUpdateSet(entry))
      .execute()
    const { name: setBy, displayName: setByName } = teacher.account
    const { set_at: setAt, submission_id } = entry
    return { points, comment, setBy, setByName, setAt, submissionId: submission_id, newerId: null }
  }

  return {
    /** A mark without points and comment is removed. */
    put: (actor: Actor, draft: MarkDraft): Promise<Mark | null> => store.write((trx) => putWithin(trx, actor, draft)),
  }
}
