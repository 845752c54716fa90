/** Results as tables for spreadsheets: a row for each student, points as numbers, empty cells where nothing was tried. */
import { toPoints } from '../../lib/judging-rules/scoring/rules.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { ClassResults, ResultCell, SheetResults } from './results.ts'

export const countWaiting = (cells: readonly ResultCell[]): number =>
  cells.reduce((sum, { waiting }) => sum + waiting, 0)

const beingJudged = 'Being judged'
const left = 'Left the class'

/** What rosters tell of students, by login. */
export type RosterDetails = ReadonlyMap<string, RosterDetail>
type RosterDetail = {
  readonly family_name: string
  readonly given_name: string
  readonly student_number: string
  readonly email: string
}

/** Named as Moodle names them, to be merged with its tables. */
const detailColumns = [
  ['Last name', 'family_name'],
  ['First name', 'given_name'],
  ['ID number', 'student_number'],
  ['Email address', 'email'],
] as const

export async function readRosterDetails(db: Db, classId: number): Promise<RosterDetails> {
  const rows = await db
    .selectFrom('roster_detail')
    .innerJoin('account', 'account.id', 'roster_detail.account_id')
    .select(['account.name', 'family_name', 'given_name', 'student_number', 'email'])
    .where('class_id', '=', classId)
    .execute()
  return new Map(rows.map((row) => [row.name, row]))
}

const taken = ['Name', 'Login', ...detailColumns.map(([title]) => title), 'Total', 'Maximum', beingJudged, left]

type Person = { readonly accountName: string; readonly rosterName: string }

/** Name and login, then what the roster tells of anybody in these rows. */
function makePersonColumns(rows: readonly Person[], details: RosterDetails) {
  const told = detailColumns.filter(([, field]) => rows.some(({ accountName }) => details.get(accountName)?.[field]))
  return ({ rosterName, accountName }: Person) => ({
    Name: rosterName,
    Login: accountName,
    ...Object.fromEntries(told.map(([title, field]) => [title, details.get(accountName)?.[field] || null])),
  })
}

const noDetails: RosterDetails = new Map()

type Options = { readonly isFull?: boolean; readonly details?: RosterDetails }

/** A column for each problem that `tell` says something about. */
function listColumns(
  titles: readonly string[],
  rows: SheetResults['rows'],
  tell: (cell: ResultCell) => number | string | null,
) {
  const used = titles.flatMap((title, at) =>
    rows.some(({ cells }) => tell(cells[at]!) !== null) ? [{ title, at }] : [],
  )
  return (cells: readonly ResultCell[]) => Object.fromEntries(used.map(({ title, at }) => [title, tell(cells[at]!)]))
}

/**
 * `isFull`: with what each problem is worth, what is late, and the marks with their comments. While submissions wait
 * for their verdict, a last column counts those of each student; one before it says who has left the class.
 */
export function tabulateSheet(
  { sheet, rows }: SheetResults,
  { isFull = false, details = noDetails }: Options = {},
): object[] {
  const title = makeTitles(taken)
  const problems = sheet.problems.map(({ displayName, points }) => ({ title: title(displayName), points }))
  const name = (what: string) => problems.map((one) => title(`${what} ${one.title}`))
  const [maxima, late, marks, comments] = [name('Maximum of'), name('Late for'), name('Mark for'), name('Comment on')]
  const most = toPoints(problems.reduce((sum, { points }) => sum + points, 0))
  const lateOf = listColumns(late!, rows, ({ isLate }) => (isLate ? 'late' : null))
  const marksOf = listColumns(marks!, rows, ({ mark }) => (mark?.points == null ? null : toPoints(mark.points)))
  const isWaiting = rows.some(({ cells }) => countWaiting(cells) > 0)
  const isAnyLeft = rows.some(({ hasLeft }) => hasLeft)
  const personOf = makePersonColumns(rows, details)
  return rows.map(({ hasLeft, cells, total, ...person }) => ({
    ...personOf(person),
    ...Object.fromEntries(
      cells.map(({ points }, at) => [problems[at]!.title, points === null ? null : toPoints(points)] as const),
    ),
    Total: toPoints(total),
    ...(isFull && {
      Maximum: most,
      ...Object.fromEntries(problems.map(({ points }, at) => [maxima![at]!, toPoints(points)] as const)),
      ...lateOf(cells),
      ...marksOf(cells),
      ...Object.fromEntries(cells.map(({ mark }, at) => [comments![at]!, mark?.comment || null] as const)),
    }),
    ...(isAnyLeft && { [left]: hasLeft ? 'left' : null }),
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

/** All sheets of a class. `isFull`: with what each sheet is worth. */
export function tabulateClass(
  { sheets, rows }: ClassResults,
  { isFull = false, details = noDetails }: Options = {},
): object[] {
  const title = makeTitles(taken)
  const columns = sheets.map(({ title: wanted, points }) => ({ title: title(wanted), points }))
  const maxima = columns.map((one) => [title(`Maximum of ${one.title}`), toPoints(one.points)] as const)
  const most = toPoints(columns.reduce((sum, { points }) => sum + points, 0))
  const isWaiting = rows.some(({ waiting }) => waiting > 0)
  const isAnyLeft = rows.some(({ hasLeft }) => hasLeft)
  const personOf = makePersonColumns(rows, details)
  return rows.map(({ hasLeft, totals, total, waiting, ...person }) => ({
    ...personOf(person),
    ...Object.fromEntries(
      totals.map((points, at) => [columns[at]!.title, points === null ? null : toPoints(points)] as const),
    ),
    Total: toPoints(total),
    ...(isFull && { Maximum: most, ...Object.fromEntries(maxima) }),
    ...(isAnyLeft && { [left]: hasLeft ? 'left' : null }),
    ...(isWaiting && { [beingJudged]: waiting }),
  }))
}
