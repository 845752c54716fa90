/** Results as tables for spreadsheets: a row for each student, points as numbers, empty cells where nothing was tried. */
import { toPoints } from '../../lib/judging-rules/scoring/rules.ts'
import type { ClassResults, ResultCell, SheetResults } from './results.ts'

export const countWaiting = (cells: readonly ResultCell[]): number =>
  cells.reduce((sum, { waiting }) => sum + waiting, 0)

const beingJudged = 'Being judged'
const left = 'Left the class'

/**
 * `isFull`: with what each problem is worth, and the comments of its marks. While submissions wait for their verdict, a
 * last column counts those of each student; one before it says who has left the class.
 */
export function tabulateSheet({ sheet, rows }: SheetResults, { isFull = false } = {}): object[] {
  const title = makeTitles(['Name', 'Login', 'Total', beingJudged, left, ...(isFull ? ['Maximum'] : [])])
  const problems = sheet.problems.map(({ displayName, points }) => ({ title: title(displayName), points }))
  const maxima = problems.map((one) => [title(`Maximum of ${one.title}`), toPoints(one.points)] as const)
  const comments = problems.map((one) => title(`Comment on ${one.title}`))
  const most = toPoints(problems.reduce((sum, { points }) => sum + points, 0))
  const isWaiting = rows.some(({ cells }) => countWaiting(cells) > 0)
  const isAnyLeft = rows.some(({ hasLeft }) => hasLeft)
  return rows.map(({ rosterName, accountName, hasLeft, cells, total }) => ({
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
export function tabulateClass({ sheets, rows }: ClassResults, { isFull = false } = {}): object[] {
  const title = makeTitles(['Name', 'Login', 'Total', beingJudged, left, 'Maximum'])
  const columns = sheets.map(({ title: wanted, points }) => ({ title: title(wanted), points }))
  const maxima = columns.map((one) => [title(`Maximum of ${one.title}`), toPoints(one.points)] as const)
  const most = toPoints(columns.reduce((sum, { points }) => sum + points, 0))
  const isWaiting = rows.some(({ waiting }) => waiting > 0)
  const isAnyLeft = rows.some(({ hasLeft }) => hasLeft)
  return rows.map(({ rosterName, accountName, hasLeft, totals, total, waiting }) => ({
    Name: rosterName,
    Login: accountName,
    ...Object.fromEntries(
      totals.map((points, at) => [columns[at]!.title, points === null ? null : toPoints(points)] as const),
    ),
    Total: toPoints(total),
    ...(isFull && { Maximum: most, ...Object.fromEntries(maxima) }),
    ...(isAnyLeft && { [left]: hasLeft ? 'left' : null }),
    ...(isWaiting && { [beingJudged]: waiting }),
  }))
}
