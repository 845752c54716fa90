/** The results of a sheet: a row for every student, also without submissions, and the marks that teachers set. */
import { sql } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { StoreSheet } from '../results/grade-sheet.ts'
import { cellKey, countCells } from './counted-cells.ts'
import { type CountedCell, emptyCell } from './counted-submissions.ts'
import { readRosterDetails, tabulateSheet } from './result-tables.ts'
import type { RenderTable, ResultCell, ResultRow, SheetResults, TableFormat } from './results.ts'
import { byName } from './row-order.ts'
import { readMarks, type StoredMark } from './sheet-marks.ts'
import type { FoundSheet, Sheets } from './sheets.ts'

/** The submission of a student that counts for a problem. */
export type BestSubmission = {
  readonly accountName: string
  readonly rosterName: string
  readonly submissionId: number
}

type Needs = { store: Store; sheets: Sheets; storeSheet: StoreSheet; renderTable: RenderTable }

export type SheetResultsService = ReturnType<typeof makeSheetResults>

export function makeSheetResults({ store, sheets, storeSheet, renderTable }: Needs) {
  const { db } = store

  /** With those who left, if something of theirs counted or a teacher marked it. */
  async function readStudents({ sheet, inClass, actor }: FoundSheet) {
    const members = db
      .selectFrom('class_member')
      .innerJoin('account', 'account.id', 'class_member.account_id')
      .select(['account.id', 'account.name', 'class_member.roster_name'])
      .select(sql<number>`0`.as('has_left'))
      .where('class_member.class_id', '=', inClass.id)
      .where('class_member.role', '=', 'student')
    if (inClass.role === 'student') return members.where('account.id', '=', actor.account.id).execute()
    return members.unionAll(selectLeft(db, inClass.id, sheet.id)).execute()
  }

  async function read(found: FoundSheet): Promise<SheetResults> {
    const { sheet, inClass, actor } = found
    const students = await readStudents(found)
    const cells = await countCells(db, sheet, inClass.role === 'student' ? { accountId: actor.account.id } : {})
    const marks = await readMarks(db, sheet.id)
    const rows = students.map(({ id, name, roster_name, has_left }): ResultRow => {
      const own = sheet.problems.map(({ uuid }) => {
        const key = cellKey(id, uuid)
        return withMark(cells.get(key) ?? emptyCell, marks.get(key))
      })
      const total = own.reduce((sum, { points }) => sum + (points ?? 0), 0)
      return { accountName: name, rosterName: roster_name, hasLeft: has_left === 1, cells: own, total }
    })
    return { sheet, rows: rows.sort(byName) }
  }

  return {
    /** Of a sheet that the caller has found. */
    read,

    /** Students get their own row. */
    get: async (actor: Actor, id: number): Promise<SheetResults> => read(await sheets.find(actor, id)),

    /** For every student with a counting submission that teachers may read. */
    async listBest(found: FoundSheet, uuid: string): Promise<BestSubmission[]> {
      const cells = await countCells(db, found.sheet, { boundOnly: true })
      const best = (await readStudents(found)).flatMap(({ id, name, roster_name }) => {
        const submissionId = cells.get(cellKey(id, uuid))?.bestId
        return submissionId == null ? [] : [{ accountName: name, rosterName: roster_name, submissionId }]
      })
      return best.sort(byName)
    },

    /** A file for teachers: points are numbers, and problems not tried are empty. A workbook has more columns. */
    async renderFile(actor: Actor, id: number, format: TableFormat): Promise<{ name: string; bytes: Buffer }> {
      const found = await sheets.teach(actor, id)
      const results = await read(found)
      const details = await readRosterDetails(db, found.inClass.id)
      const items = tabulateSheet(results, { isFull: format === 'xlsx', details })
      return { name: `${results.sheet.title}.${format}`, bytes: await renderTable(items, format) }
    },

    async storeAsDataset(actor: Actor, id: number, name: string): Promise<{ datasetId: string; itemCount: number }> {
      const found = await sheets.teach(actor, id)
      const items = tabulateSheet(await read(found))
      const { id: datasetId } = await storeSheet(found.actor, name, [items])
      return { datasetId, itemCount: items.length }
    },
  }
}

/** The points of a mark replace the computed ones, and are late if the submission is that was marked. */
function withMark(cell: CountedCell, stored: StoredMark | undefined): ResultCell {
  if (!stored) return { ...cell, mark: null }
  const isNewer = cell.latest !== null && cell.latest.createdAt > stored.setAt
  const mark = { ...stored, newerId: isNewer ? cell.latest!.id : null }
  if (mark.points === null) return { ...cell, mark }
  const { submissionId } = mark
  const isLate = submissionId !== null && cell.firstLateId !== null && submissionId >= cell.firstLateId
  return { ...cell, points: mark.points, isLate, waiting: 0, mark }
}

/** Students who left the class, of whom something counted in the sheet or was marked. */
const selectLeft = (db: Db, classId: number, sheetId: number) =>
  db
    .selectFrom('class_left')
    .innerJoin('account', 'account.id', 'class_left.account_id')
    .select(['account.id', 'account.name', 'class_left.roster_name'])
    .select(sql<number>`1`.as('has_left'))
    .where('class_left.class_id', '=', classId)
    .where((eb) =>
      eb.or([
        eb('class_left.account_id', 'in', (select) =>
          select.selectFrom('left_submission').select('left_submission.account_id').where('sheet_id', '=', sheetId),
        ),
        eb('class_left.account_id', 'in', (select) =>
          select.selectFrom('sheet_mark').select('sheet_mark.account_id').where('sheet_id', '=', sheetId),
        ),
      ]),
    )
