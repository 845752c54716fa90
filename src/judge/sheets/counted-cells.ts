/** What counts in a sheet for each student and problem. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../store/schema/schema.ts'
import { dueTimeOf } from '../sheet-access/sheet-access.ts'
import { finished, judgeFailure } from '../submissions/status.ts'
import {
  type CountedCell,
  countingSubmissions,
  countingSubmissionsOfLeft,
  countTry,
  emptyCell,
  isBound,
  isKnownToTeachers,
} from './counted-submissions.ts'
import type { Sheet } from './sheet.ts'

const rowsAtOnce = 1_000

/** The key of a student's cell. */
export const cellKey = (accountId: number, uuid: string): string => `${accountId} ${uuid}`

/**
 * Counts for one student or all. For a student who has not accepted the class, and a problem that was not added by an
 * owner, only public knowledge counts: whether it was accepted. `boundOnly` leaves these out.
 */
export async function countCells(
  db: Db,
  sheet: Pick<Sheet, 'id' | 'problems' | 'dueTime' | 'lateUntil' | 'lateFactor'>,
  { accountId, boundOnly = false }: { accountId?: number | undefined; boundOnly?: boolean } = {},
): Promise<Map<string, CountedCell>> {
  const extended = await db
    .selectFrom('sheet_extension')
    .select(['account_id', 'due_time'])
    .where('sheet_id', '=', sheet.id)
    .execute()
  const dueTimes = new Map(extended.map((row) => [row.account_id, row.due_time]))
  const worth = new Map(sheet.problems.map(({ uuid, points }) => [uuid, points]))
  const cells = new Map<string, CountedCell>()
  const count = (row: TryRow) => {
    const key = cellKey(row.author_id, row.uuid)
    const isWhole = row.is_invited === 0 || row.opens_held === 1
    const one = {
      id: row.id,
      createdAt: row.created_at,
      isFinished: row.status === finished,
      isFailure: row.status === finished && row.result === judgeFailure,
      isAccepted: row.result === 1,
      score: isWhole ? row.score : null,
      maximumScore: isWhole ? row.maximum_score : null,
    }
    const deadline = { ...sheet, dueTime: dueTimeOf(sheet.dueTime, dueTimes.get(row.author_id)) }
    cells.set(key, countTry(cells.get(key) ?? emptyCell, one, worth.get(row.uuid)!, deadline))
  }
  const readPart = (after: number) =>
    countingSubmissions(db, sheet.id)
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .select(['submission.id', 'submission.author_id', 'submission.created_at', 'submission.status'])
      .select(['submission.result', 'submission.score', 'submission.maximum_score', 'problem.uuid'])
      .select(['class_member.is_invited', 'sheet_problem.opens_held'])
      .where('submission.id', '>', after)
      .where(boundOnly ? isBound : isKnownToTeachers)
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
  await forEachTry(readPart, count)
  // Someone who left is compared with nobody.
  if (!boundOnly && accountId === undefined) await forEachTry((after) => selectTriesOfLeft(db, sheet.id, after), count)
  return cells
}

type TryRow = Awaited<ReturnType<typeof selectTriesOfLeft>>[number]

const selectTriesOfLeft = (db: Db, sheetId: number, after: number) =>
  countingSubmissionsOfLeft(db, sheetId)
    .innerJoin('problem', 'problem.id', 'submission.problem_id')
    .select(['submission.id', 'submission.author_id', 'submission.created_at', 'submission.status'])
    .select(['submission.result', 'submission.score', 'submission.maximum_score', 'problem.uuid'])
    .select([sql<number>`0`.as('is_invited'), 'sheet_problem.opens_held'])
    .where('submission.id', '>', after)
    .orderBy('submission.id')
    .limit(rowsAtOnce)
    .execute()

async function forEachTry(read: (after: number) => Promise<readonly TryRow[]>, act: (row: TryRow) => void) {
  for (let after = 0; ; ) {
    const rows = await read(after)
    for (const row of rows) act(row)
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)!.id
    await setImmediate()
  }
}
