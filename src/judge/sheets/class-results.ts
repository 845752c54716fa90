/** The results of all published sheets of a class: a row for each student, a column for each sheet. */
import type { Actor } from '../../accounts/actor.ts'
import type { Store } from '../../store/store.ts'
import type { ClassRef } from '../classes/class.ts'
import type { ClassAccess } from '../classes/class-access.ts'
import { countWaiting, readRosterDetails, tabulateClass } from './result-tables.ts'
import type { ClassResultRow, ClassResults, RenderTable, ResultRow, TableFormat } from './results.ts'
import { byName } from './row-order.ts'
import type { SheetResultsService } from './sheet-results.ts'
import type { Sheets } from './sheets.ts'

type Needs = {
  store: Store
  access: ClassAccess
  sheets: Pick<Sheets, 'teach'>
  sheetResults: Pick<SheetResultsService, 'read'>
  renderTable: RenderTable
}

export type ClassResultsService = ReturnType<typeof makeClassResults>

export function makeClassResults({ store, access, sheets, sheetResults, renderTable }: Needs) {
  async function listStudents(classId: number): Promise<ResultRow[]> {
    const rows = await store.db
      .selectFrom('class_member')
      .innerJoin('account', 'account.id', 'class_member.account_id')
      .select(['account.name as accountName', 'class_member.roster_name as rosterName'])
      .where('class_member.class_id', '=', classId)
      .where('class_member.role', '=', 'student')
      .execute()
    return rows.map((row) => ({ ...row, hasLeft: false, cells: [], total: 0 }))
  }

  const listSheets = (classId: number) =>
    store.db
      .selectFrom('sheet')
      .select('id')
      .where('class_id', '=', classId)
      .where('is_published', '=', 1)
      .orderBy('open_time')
      .orderBy('id')
      .execute()

  /** For teachers alone. */
  async function get(actor: Actor, classId: string): Promise<ClassResults & { readonly taught: ClassRef }> {
    const taught = await access.teach(actor, classId)
    const found: ClassResults['sheets'][number][] = []
    const people = new Map((await listStudents(taught.id)).map((row) => [row.accountName, row]))
    const bySheet: Map<string, ResultRow>[] = []
    for (const { id } of await listSheets(taught.id)) {
      const { sheet, rows } = await sheetResults.read(await sheets.teach(actor, id))
      const points = sheet.problems.reduce((sum, problem) => sum + problem.points, 0)
      found.push({ id, title: sheet.title, points })
      bySheet.push(new Map(rows.map((row) => [row.accountName, row])))
      for (const row of rows) if (!people.has(row.accountName)) people.set(row.accountName, row)
    }
    const rows = [...people.values()].map(({ accountName, rosterName, hasLeft }): ClassResultRow => {
      const own = bySheet.map((one) => one.get(accountName))
      const totals = own.map((row) => (row?.cells.some(({ points }) => points !== null) ? row.total : null))
      return {
        accountName,
        rosterName,
        hasLeft,
        totals,
        total: totals.reduce<number>((sum, points) => sum + (points ?? 0), 0),
        waiting: own.reduce((sum, row) => sum + countWaiting(row?.cells ?? []), 0),
      }
    })
    return { taught, sheets: found, rows: rows.sort(byPresence) }
  }

  return {
    get,

    async renderFile(actor: Actor, classId: string, format: TableFormat): Promise<{ name: string; bytes: Buffer }> {
      const { taught, ...results } = await get(actor, classId)
      const details = await readRosterDetails(store.db, taught.id)
      const items = tabulateClass(results, { isFull: format === 'xlsx', details })
      return { name: `${taught.name}.${format}`, bytes: await renderTable(items, format) }
    },
  }
}

/** Those who left come last. */
const byPresence = (a: ClassResultRow, b: ClassResultRow): number =>
  Number(a.hasLeft) - Number(b.hasLeft) || byName(a, b)
