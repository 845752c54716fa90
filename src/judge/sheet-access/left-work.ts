/**
 * Submissions that counted in a sheet when their author left the class. Those handed in as a member stay bound: their
 * author can't delete them but opens them even if the problem is held, and the teachers still read them.
 */
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'

export type LeftWork = ReturnType<typeof makeLeftWork>

export function makeLeftWork({ db }: Pick<Store, 'db'>) {
  const bound = prepareQuery(db, ({ submissionId }: { submissionId: number }) =>
    boundWork(db).select('sheet.id').where('left_submission.submission_id', '=', submissionId).limit(1),
  )
  const taught = prepareQuery(db, ({ submissionId, teacherId }: { submissionId: number; teacherId: number }) =>
    taughtWork(db, teacherId)
      .select('class_left.roster_name')
      .where('left_submission.submission_id', '=', submissionId)
      .orderBy('sheet.id', 'desc')
      .limit(1),
  )

  return {
    isBound: async (submissionId: number, within: Db = db): Promise<boolean> =>
      (await bound({ submissionId }, within)).length > 0,

    /** Those among these submissions that are bound. */
    async listBound(submissionIds: readonly number[]): Promise<Set<number>> {
      if (submissionIds.length === 0) return new Set()
      const rows = await boundWork(db)
        .select('submission.id')
        .where('left_submission.submission_id', 'in', submissionIds)
        .execute()
      return new Set(rows.map(({ id }) => id))
    },

    /** The author's last name in the roster of a class that this account teaches, if the submission is bound there. */
    async findRosterName(teacherId: number, submissionId: number): Promise<string | undefined> {
      return (await taught({ submissionId, teacherId }))[0]?.roster_name
    },

    /** Those among these submissions that are bound in classes of this teacher. */
    async listTaught(teacherId: number, submissionIds: readonly number[]): Promise<number[]> {
      const rows = await taughtWork(db, teacherId)
        .select('left_submission.submission_id')
        .where('left_submission.submission_id', 'in', submissionIds)
        .execute()
      return rows.map(({ submission_id }) => submission_id)
    },
  }
}

/** Ids of an account's own submissions that are bound: it sees them, even if their problem is held. */
export const selectOwnBound = (db: Db, accountId: number) =>
  boundWork(db).select('submission.id').where('class_left.account_id', '=', accountId)

/** Ends where the sheet no longer has the problem, or is not published. */
const boundWork = (db: Db) =>
  db
    .selectFrom('left_submission')
    .innerJoin('class_left', (join) =>
      join
        .onRef('class_left.class_id', '=', 'left_submission.class_id')
        .onRef('class_left.account_id', '=', 'left_submission.account_id'),
    )
    .innerJoin('submission', 'submission.id', 'left_submission.submission_id')
    .innerJoin('sheet', 'sheet.id', 'left_submission.sheet_id')
    .innerJoin('sheet_problem', (join) =>
      join
        .onRef('sheet_problem.sheet_id', '=', 'sheet.id')
        .onRef('sheet_problem.problem_id', '=', 'submission.problem_id'),
    )
    .whereRef('submission.created_at', '>=', 'class_left.joined_at')
    .where('sheet.is_published', '=', 1)

const taughtWork = (db: Db, teacherId: number) =>
  boundWork(db)
    .innerJoin('class_member as teacher', 'teacher.class_id', 'class_left.class_id')
    .where('teacher.account_id', '=', teacherId)
    .where('teacher.role', '=', 'teacher')

/** What counts for a student of a class in its published sheets, to be kept when they leave. */
export const selectCounted = (trx: Db, classId: number, accountId: number) =>
  trx
    .selectFrom('sheet')
    .innerJoin('sheet_problem', 'sheet_problem.sheet_id', 'sheet.id')
    .innerJoin('submission', (join) =>
      join
        .onRef('submission.problem_id', '=', 'sheet_problem.problem_id')
        .onRef('submission.created_at', '>=', 'sheet.open_time')
        .on('submission.author_id', '=', accountId)
        .on('submission.contest_id', 'is', null),
    )
    .leftJoin('sheet_extension', (join) =>
      join.onRef('sheet_extension.sheet_id', '=', 'sheet.id').on('sheet_extension.account_id', '=', accountId),
    )
    .select(['sheet.class_id', 'submission.author_id as account_id', 'sheet.id as sheet_id'])
    .select('submission.id as submission_id')
    .where('sheet.class_id', '=', classId)
    .where('sheet.is_published', '=', 1)
    .where((eb) =>
      eb.or([
        eb('sheet.due_time', 'is', null),
        eb('submission.created_at', '<=', eb.ref('sheet.late_until')),
        eb('submission.created_at', '<=', eb.fn.coalesce('sheet_extension.due_time', 'sheet.due_time')),
      ]),
    )
