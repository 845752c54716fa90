/**
 * How exercise sheets change visibility: an open sheet opens its held problems to its class, hides others' submissions
 * from its students, and lets its teachers read their students' work. Problems and submissions call it.
 */
import { sql } from 'kysely'
import { type Actor, isAdmin, type SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { ownsProblem } from '../access.ts'
import { makeLeftWork, selectOwnBound } from './left-work.ts'

type Viewer = { accountId: number; now: number }

/** A sheet that is open to a student and contains a given problem. */
export type OpenSheet = {
  readonly id: number
  readonly title: string
  readonly openTime: number
  readonly dueTime: number | null
  /** The last moment that counts for this student; null if there is none. */
  readonly lastMoment: number | null
  readonly languages: readonly string[] | null
  readonly submissionLimit: number | null
}

export type SheetAccess = ReturnType<typeof makeSheetAccess>

export function makeSheetAccess({ store: { db }, clock }: { store: Store; clock: Clock }) {
  const viewerOf = ({ account }: SignedIn): Viewer => ({ accountId: account.id, now: clock.now() })

  const anySpecial = prepareQuery(db, ({ accountId, now }: Viewer) =>
    selectHidden(db, { accountId, now }).unionAll(selectOwnBound(db, accountId)).limit(1),
  )
  const hides = prepareQuery(db, ({ problemId, accountId, now }: Viewer & { problemId: number }) =>
    selectHidden(db, { accountId, now }).where('sheet_problem.problem_id', '=', problemId).limit(1),
  )
  const opens = prepareQuery(db, ({ problemId, accountId, now }: Viewer & { problemId: number }) =>
    selectOpened(db, { accountId, now }).where('sheet_problem.problem_id', '=', problemId).limit(1),
  )
  const teaches = prepareQuery(db, ({ teacherId, authorId, problemId, createdAt }: Taught & { teacherId: number }) =>
    taughtSubmissions(db)
      .select('sheet.id')
      .where('teacher.account_id', '=', teacherId)
      .where('student.account_id', '=', authorId)
      .where('sheet_problem.problem_id', '=', problemId)
      .where('sheet.open_time', '<=', createdAt)
      .where('student.joined_at', '<=', createdAt)
      .limit(1),
  )
  const openFor = prepareQuery(db, ({ problemId, accountId, now }: Viewer & { problemId: number }) =>
    db
      .selectFrom('sheet_problem')
      .innerJoin('sheet', 'sheet.id', 'sheet_problem.sheet_id')
      .innerJoin('class_member', 'class_member.class_id', 'sheet.class_id')
      .leftJoin('sheet_extension', (join) =>
        join.onRef('sheet_extension.sheet_id', '=', 'sheet.id').on('sheet_extension.account_id', '=', accountId),
      )
      .select(['sheet.id', 'sheet.title', 'sheet.open_time', 'sheet.due_time', 'sheet.late_until'])
      .select(['sheet.languages', 'sheet.submission_limit', 'sheet_extension.due_time as extended'])
      .where('sheet_problem.problem_id', '=', problemId)
      .where('class_member.account_id', '=', accountId)
      .where('class_member.role', '=', 'student')
      .where(isBound('class_member'))
      .where('sheet.is_published', '=', 1)
      .where('sheet.open_time', '<=', now)
      .orderBy('sheet.id'),
  )
  const leftWork = makeLeftWork({ db })

  /** Whether others' submissions to the problem are hidden from the actor. */
  async function hidesFrom(actor: SignedIn, problem: { id: number; authorId: number }): Promise<boolean> {
    if (ownsProblem(actor, problem)) return false
    return (await hides({ ...viewerOf(actor), problemId: problem.id })).length > 0
  }

  return {
    hidesFrom,

    /** Whether a sheet opens this held problem to the actor. */
    async opensTo(actor: SignedIn, problem: { id: number }): Promise<boolean> {
      return (await opens({ ...viewerOf(actor), problemId: problem.id })).length > 0
    },

    /** Whether a sheet hides anything from the actor, or shows them more; if not, the common lists can be used. */
    async changesLists(actor: SignedIn): Promise<boolean> {
      return !isAdmin(actor) && (await anySpecial(viewerOf(actor))).length > 0
    },

    /** Whether the actor teaches the author through a sheet in which the submission can count. */
    async teaches(actor: Actor, { id, author, problem, createdAt }: TaughtSubmission): Promise<boolean> {
      if (actor.account?.role !== 'problem_setter') return false
      const teacherId = actor.account.id
      const taught = { authorId: author.id, problemId: problem.id, createdAt: createdAt.getTime() }
      if ((await teaches({ teacherId, ...taught })).length > 0) return true
      return (await leftWork.findRosterName(teacherId, id)) !== undefined
    },

    /**
     * The author's name in the actor's roster, if the actor teaches them through a sheet in which the submission can
     * count.
     */
    async findRosterName(
      actor: Actor,
      { id, author, problem, createdAt }: TaughtSubmission,
    ): Promise<string | undefined> {
      if (!actor.account || author.id === actor.account.id) return undefined
      const row = await taughtSubmissions(db)
        .select('student.roster_name')
        .where('teacher.account_id', '=', actor.account.id)
        .where('student.account_id', '=', author.id)
        .where('sheet_problem.problem_id', '=', problem.id)
        .where('sheet.open_time', '<=', createdAt.getTime())
        .orderBy('sheet.id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.roster_name ?? leftWork.findRosterName(actor.account.id, id)
    },

    /** Ids of the submissions made by students of the actor. */
    async listTaught(actor: SignedIn, submissions: readonly TaughtSubmission[]): Promise<Set<number>> {
      if (actor.account.role !== 'problem_setter' || submissions.length === 0) return new Set()
      const rows = await taughtSubmissions(db)
        .select(['student.account_id', 'student.joined_at'])
        .select(['sheet_problem.problem_id', 'sheet.open_time'])
        .where('teacher.account_id', '=', actor.account.id)
        .where('student.account_id', 'in', [...new Set(submissions.map(({ author }) => author.id))])
        .where('sheet_problem.problem_id', 'in', [...new Set(submissions.map(({ problem }) => problem.id))])
        .execute()
      const isTaught = ({ author, problem, createdAt }: TaughtSubmission) =>
        rows.some(
          (row) =>
            row.account_id === author.id &&
            row.problem_id === problem.id &&
            row.open_time <= createdAt.getTime() &&
            row.joined_at <= createdAt.getTime(),
        )
      const ids = submissions.map(({ id }) => id)
      const ofLeft = await leftWork.listTaught(actor.account.id, ids)
      return new Set([...submissions.filter(isTaught).map(({ id }) => id), ...ofLeft])
    },

    /** The sheets through which a student may submit to the problem, including past ones. */
    async listOpen(accountId: number, problemId: number, at = clock.now(), within: Db = db): Promise<OpenSheet[]> {
      const rows = await openFor({ accountId, problemId, now: at }, within)
      return rows.map((row) => ({
        id: row.id,
        title: row.title,
        openTime: row.open_time,
        dueTime: dueTimeOf(row.due_time, row.extended),
        lastMoment: findLastMoment(dueTimeOf(row.due_time, row.extended), row.late_until),
        languages: row.languages === null ? null : (JSON.parse(row.languages) as string[]),
        submissionLimit: row.submission_limit,
      }))
    },

    /** Whether a submission counted in a sheet of a class that its author has since left. */
    countedBeforeLeaving: leftWork.isBound,
    listCountedBeforeLeaving: leftWork.listBound,

    /** For these problems: from whom others' submissions are hidden, and to whom a sheet opens them. */
    async findAudience(problemIds: readonly number[]): Promise<Audience> {
      const rows =
        problemIds.length === 0
          ? []
          : await db
              .selectFrom('sheet_problem')
              .innerJoin('sheet', 'sheet.id', 'sheet_problem.sheet_id')
              .innerJoin('class_member', 'class_member.class_id', 'sheet.class_id')
              .select(['sheet_problem.problem_id', 'class_member.account_id', 'class_member.role'])
              .select(['class_member.is_invited', 'sheet.shows_others', 'sheet_problem.opens_held'])
              .where('sheet_problem.problem_id', 'in', problemIds)
              .where('sheet.is_published', '=', 1)
              .where('sheet.open_time', '<=', clock.now())
              .execute()
      const key = (problemId: number, accountId: number) => `${problemId} ${accountId}`
      const opened = new Set(
        rows.filter(({ opens_held }) => opens_held === 1).map((row) => key(row.problem_id, row.account_id)),
      )
      const hidden = new Set(
        rows
          .filter(({ role, shows_others }) => role === 'student' && shows_others === 0)
          .filter(({ is_invited, opens_held }) => is_invited === 0 || opens_held === 1)
          .map((row) => key(row.problem_id, row.account_id)),
      )
      return {
        isOpened: (problemId, accountId) => opened.has(key(problemId, accountId)),
        isHidden: (problemId, accountId) => hidden.has(key(problemId, accountId)),
      }
    },
  }
}

type TaughtSubmission = {
  readonly id: number
  readonly author: { readonly id: number }
  readonly problem: { readonly id: number }
  readonly createdAt: Date
}
type Taught = { authorId: number; problemId: number; createdAt: number }

/**
 * Teachers, their students and the problems of their sheets. A teacher does not see what a student did before joining,
 * by a code as well.
 */
export const taughtSubmissions = (db: Db) =>
  db
    .selectFrom('class_member as teacher')
    .innerJoin('class_member as student', 'student.class_id', 'teacher.class_id')
    .innerJoin('sheet', 'sheet.class_id', 'teacher.class_id')
    .innerJoin('sheet_problem', 'sheet_problem.sheet_id', 'sheet.id')
    .where('teacher.role', '=', 'teacher')
    .where('student.role', '=', 'student')
    .where(isBound('student'))

/**
 * Effects of a sheet on a student, beyond opening problems, need the student's consent: teachers read their code,
 * limits refuse submissions, counted ones can't be deleted, and others' submissions are hidden. Students consent by
 * accepting the class or joining by its code; accounts created by its roster have consented. A student who is only
 * invited is affected only for problems whose owners added them to the sheet, because owners may do all this with their
 * own problems anyway.
 */
const isBound = (member: 'student' | 'class_member') =>
  sql<boolean>`(${sql.ref(`${member}.is_invited`)} = 0 or sheet_problem.opens_held = 1)`

export type Audience = {
  isOpened(problemId: number, accountId: number): boolean
  isHidden(problemId: number, accountId: number): boolean
}

/** An extension moves an existing deadline, but does not create one. */
export const dueTimeOf = (dueTime: number | null, extended: number | null | undefined): number | null =>
  dueTime === null ? null : (extended ?? dueTime)

/** Null without a due time: everything counts then. */
export const findLastMoment = (dueTime: number | null, lateUntil: number | null): number | null =>
  dueTime === null ? null : Math.max(dueTime, lateUntil ?? dueTime)

const openSheets = (db: Db, { accountId, now }: Viewer) =>
  db
    .selectFrom('class_member')
    .innerJoin('sheet', 'sheet.class_id', 'class_member.class_id')
    .innerJoin('sheet_problem', 'sheet_problem.sheet_id', 'sheet.id')
    .select('sheet_problem.problem_id as id')
    .where('class_member.account_id', '=', accountId)
    .where('sheet.is_published', '=', 1)
    .where('sheet.open_time', '<=', now)

/** Ids of problems for which the viewer sees only their own submissions. */
export const selectHidden = (db: Db, viewer: Viewer) =>
  openSheets(db, viewer)
    .where('class_member.role', '=', 'student')
    .where(isBound('class_member'))
    .where('sheet.shows_others', '=', 0)

/** Ids of problems in an open sheet of the viewer's class, if an owner added them. */
export const selectOpened = (db: Db, viewer: Viewer) => openSheets(db, viewer).where('sheet_problem.opens_held', '=', 1)
