/** The results of a sheet: a row for every student, also without submissions, and the marks that teachers set. */
import { setImmediate } from 'node:timers/promises'
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import { toPoints } from '../../lib/judging-rules/scoring/rules.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { StoreSheet } from '../results/grade-sheet.ts'
import { dueTimeOf } from '../sheet-access/sheet-access.ts'
import { finished } from '../submissions/status.ts'
import { type CountedCell, countingSubmissions, countTry, emptyCell } from './counted-submissions.ts'
import type { Sheet } from './sheet.ts'
import { type FoundSheet, findStudent, type Sheets } from './sheets.ts'

export type Mark = {
  readonly points: number | null
  readonly comment: string
  readonly setBy: string
  readonly setAt: number
}

export type ResultCell = CountedCell & { readonly mark: Mark | null }

export type ResultRow = {
  readonly accountName: string
  readonly rosterName: string
  readonly cells: readonly ResultCell[]
  /** In millionths. */
  readonly total: number
}

/** The submission of a student that counts for a problem. */
export type BestSubmission = {
  readonly accountName: string
  readonly rosterName: string
  readonly submissionId: number
}

export type SheetResults = { readonly sheet: Sheet; readonly rows: readonly ResultRow[] }

export type TableFormat = 'csv' | 'xlsx'

/** Renders items as a table whose columns are their members, in order. */
export type RenderTable = (items: readonly object[], format: TableFormat) => Promise<Buffer>

type Needs = { store: Store; clock: Clock; sheets: Sheets; storeSheet: StoreSheet; renderTable: RenderTable }

export type SheetResultsService = ReturnType<typeof makeSheetResults>

const rowsAtOnce = 1_000

export function makeSheetResults({ store, clock, sheets, storeSheet, renderTable }: Needs) {
  const { db } = store

  async function readStudents({ inClass, actor }: FoundSheet) {
    return db
      .selectFrom('class_member')
      .innerJoin('account', 'account.id', 'class_member.account_id')
      .select(['account.id', 'account.name', 'class_member.roster_name'])
      .where('class_member.class_id', '=', inClass.id)
      .where('class_member.role', '=', 'student')
      .$if(inClass.role === 'student', (query) => query.where('account.id', '=', actor.account.id))
      .orderBy('class_member.roster_name')
      .orderBy('account.id')
      .execute()
  }

  async function readMarks(sheetId: number): Promise<Map<string, Mark>> {
    const rows = await db
      .selectFrom('sheet_mark')
      .innerJoin('problem', 'problem.id', 'sheet_mark.problem_id')
      .innerJoin('account', 'account.id', 'sheet_mark.set_by')
      .select(['sheet_mark.account_id', 'problem.uuid', 'sheet_mark.points', 'sheet_mark.comment'])
      .select(['sheet_mark.set_at', 'account.name'])
      .where('sheet_id', '=', sheetId)
      .execute()
    return new Map(
      rows.map((row) => [
        cellKey(row.account_id, row.uuid),
        { points: row.points, comment: row.comment, setBy: row.name, setAt: row.set_at },
      ]),
    )
  }

  /**
   * Counts for one student or all. For a student who has not accepted the class, and a problem that was not added by an
   * owner, only public knowledge counts: whether it was accepted. `boundOnly` leaves these out.
   */
  async function countCells(
    { sheet }: FoundSheet,
    { accountId, boundOnly = false }: { accountId?: number | undefined; boundOnly?: boolean },
  ): Promise<Map<string, CountedCell>> {
    const extended = await db
      .selectFrom('sheet_extension')
      .select(['account_id', 'due_time'])
      .where('sheet_id', '=', sheet.id)
      .execute()
    const dueTimes = new Map(extended.map((row) => [row.account_id, row.due_time]))
    const worth = new Map(sheet.problems.map(({ uuid, points }) => [uuid, points]))
    const cells = new Map<string, CountedCell>()
    for (let after = 0; ; ) {
      const rows = await countingSubmissions(db, sheet.id)
        .innerJoin('problem', 'problem.id', 'submission.problem_id')
        .select(['submission.id', 'submission.author_id', 'submission.created_at', 'submission.status'])
        .select(['submission.result', 'submission.score', 'submission.maximum_score', 'problem.uuid'])
        .select(['class_member.is_invited', 'sheet_problem.opens_held'])
        .where('submission.id', '>', after)
        .where((eb) =>
          eb.or([
            eb('class_member.is_invited', '=', 0),
            eb('sheet_problem.opens_held', '=', 1),
            ...(boundOnly ? [] : [eb('problem.is_held', '=', 0)]),
          ]),
        )
        // Teachers read no code from before the student joined, unless the problem is theirs.
        .$if(boundOnly, (query) =>
          query.where((eb) =>
            eb.or([
              eb('sheet_problem.opens_held', '=', 1),
              eb('submission.created_at', '>=', eb.ref('class_member.joined_at')),
            ]),
          ),
        )
        .$if(accountId !== undefined, (query) => query.where('submission.author_id', '=', accountId!))
        .orderBy('submission.id')
        .limit(rowsAtOnce)
        .execute()
      for (const row of rows) {
        const key = cellKey(row.author_id, row.uuid)
        const isBound = row.is_invited === 0 || row.opens_held === 1
        const one = {
          id: row.id,
          createdAt: row.created_at,
          isFinished: row.status === finished,
          isAccepted: row.result === 1,
          score: isBound ? row.score : null,
          maximumScore: isBound ? row.maximum_score : null,
        }
        const deadline = { ...sheet, dueTime: dueTimeOf(sheet.dueTime, dueTimes.get(row.author_id)) }
        cells.set(key, countTry(cells.get(key) ?? emptyCell, one, worth.get(row.uuid)!, deadline))
      }
      if (rows.length < rowsAtOnce) return cells
      after = rows.at(-1)!.id
      await setImmediate()
    }
  }

  async function read(found: FoundSheet): Promise<SheetResults> {
    const { sheet, inClass, actor } = found
    const students = await readStudents(found)
    const cells = await countCells(found, inClass.role === 'student' ? { accountId: actor.account.id } : {})
    const marks = await readMarks(sheet.id)
    const rows = students.map(({ id, name, roster_name }): ResultRow => {
      const own = sheet.problems.map(({ uuid }): ResultCell => {
        const [cell, mark] = [cells.get(cellKey(id, uuid)) ?? emptyCell, marks.get(cellKey(id, uuid)) ?? null]
        const isMarked = mark?.points != null
        return { ...cell, points: mark?.points ?? cell.points, waiting: isMarked ? 0 : cell.waiting, mark }
      })
      const total = own.reduce((sum, { points }) => sum + (points ?? 0), 0)
      return { accountName: name, rosterName: roster_name, cells: own, total }
    })
    return { sheet, rows }
  }

  const putMarkWithin = async (trx: Db, actor: Actor, draft: MarkDraft): Promise<Mark | null> => {
    const { sheet, inClass, actor: teacher } = await sheets.teach(actor, draft.sheetId, trx)
    const student = await findStudent(trx, inClass, draft.accountName)
    const uuid = draft.uuid.toLowerCase()
    const isThere = sheet.problems.some((problem) => problem.uuid === uuid)
    demand(isThere, 'not-found', 'problem-unknown', `The sheet has no problem ${draft.uuid}.`)
    const { id: problemId } = await trx
      .selectFrom('problem')
      .select('id')
      .where('uuid', '=', uuid)
      .executeTakeFirstOrThrow()
    const place = { sheet_id: sheet.id, account_id: student.id, problem_id: problemId }
    const { points, comment } = draft
    if (points === null && comment === '') {
      await trx
        .deleteFrom('sheet_mark')
        .where('sheet_id', '=', sheet.id)
        .where('account_id', '=', student.id)
        .where('problem_id', '=', problemId)
        .execute()
      return null
    }
    const entry = { points, comment, set_by: teacher.account.id, set_at: clock.now() }
    await trx
      .insertInto('sheet_mark')
      .values({ ...place, ...entry })
      .onConflict((conflict) => conflict.columns(['sheet_id', 'account_id', 'problem_id']).doUpdateSet(entry))
      .execute()
    return { points, comment, setBy: teacher.account.name, setAt: entry.set_at }
  }

  return {
    /** Students get their own row. */
    get: async (actor: Actor, id: number): Promise<SheetResults> => read(await sheets.find(actor, id)),

    /** For every student with a counting submission that teachers may read. */
    async listBest(found: FoundSheet, uuid: string): Promise<BestSubmission[]> {
      const cells = await countCells(found, { boundOnly: true })
      return (await readStudents(found)).flatMap(({ id, name, roster_name }) => {
        const submissionId = cells.get(cellKey(id, uuid))?.bestId
        return submissionId == null ? [] : [{ accountName: name, rosterName: roster_name, submissionId }]
      })
    },

    /** A mark without points and comment is removed. */
    putMark: (actor: Actor, draft: MarkDraft): Promise<Mark | null> =>
      store.write((trx) => putMarkWithin(trx, actor, draft)),

    /** A file for teachers: points are numbers, and problems not tried are empty. A workbook has more columns. */
    async renderFile(actor: Actor, id: number, format: TableFormat): Promise<{ name: string; bytes: Buffer }> {
      const results = await read(await sheets.teach(actor, id))
      const items = tabulate(results, { isFull: format === 'xlsx' })
      return { name: `${results.sheet.title}.${format}`, bytes: await renderTable(items, format) }
    },

    async storeAsDataset(actor: Actor, id: number, name: string): Promise<{ datasetId: string; itemCount: number }> {
      const found = await sheets.teach(actor, id)
      const items = tabulate(await read(found))
      const { id: datasetId } = await storeSheet(found.actor, name, [items])
      return { datasetId, itemCount: items.length }
    },
  }
}

export type MarkDraft = {
  readonly sheetId: number
  readonly accountName: string
  readonly uuid: string
  readonly points: number | null
  readonly comment: string
}

const cellKey = (accountId: number, uuid: string): string => `${accountId} ${uuid}`

const countWaiting = (cells: readonly ResultCell[]): number => cells.reduce((sum, { waiting }) => sum + waiting, 0)

const beingJudged = 'Being judged'

/**
 * `isFull`: with what each problem is worth, and the comments of its marks. While submissions wait for their verdict, a
 * last column counts those of each student.
 */
function tabulate({ sheet, rows }: SheetResults, { isFull = false } = {}): object[] {
  const title = makeTitles(['Name', 'Login', 'Total', beingJudged, ...(isFull ? ['Maximum'] : [])])
  const problems = sheet.problems.map(({ displayName, points }) => ({ title: title(displayName), points }))
  const maxima = problems.map((one) => [title(`Maximum of ${one.title}`), toPoints(one.points)] as const)
  const comments = problems.map((one) => title(`Comment on ${one.title}`))
  const most = toPoints(problems.reduce((sum, { points }) => sum + points, 0))
  const isWaiting = rows.some(({ cells }) => countWaiting(cells) > 0)
  return rows.map(({ rosterName, accountName, cells, total }) => ({
    Name: rosterName,
    Login: accountName,
    ...Object.fromEntries(
      cells.map(({ points }, at) => [problems[at]!.title, points === null ? null : toPoints(points)] as const),
    ),
    Total: toPoints(total),
    ...(isFull && {
      Maximum: most,
      ...Object.fromEntries(maxima),
      ...Object.fromEntries(cells.map(({ mark }, at) => [comments[at]!, mark?.comment || null] as const)),
    }),
    ...(isWaiting && { [beingJudged]: countWaiting(cells) }),
  }))
}

/** Distinguishes columns with equal titles by a number. */
function makeTitles(taken: readonly string[]): (wanted: string) => string {
  const used = new Set(taken)
  return (wanted) => {
    let title = wanted
    for (let count = 2; used.has(title); count++) title = `${wanted} (${count})`
    used.add(title)
    return title
  }
}
