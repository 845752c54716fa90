/** The order of students in results, and who comes before and after one of them. */
import type { ResultCell, ResultRow } from '../../api/classes.ts'

export const compareNames = (a: ResultRow, b: ResultRow): number =>
  a.RosterName.localeCompare(b.RosterName) || a.AccountName.localeCompare(b.AccountName)

/** The submission behind a cell's points: the one that a teacher marked, or else the best. */
export const findShownId = ({ Mark, BestID }: ResultCell): number | null =>
  Mark?.Points == null ? BestID : (Mark.SubmissionID ?? BestID)

/** The judge failed at all that was handed in, which then has no points. */
export const hasFailed = ({ Points, Tries, Mark }: ResultCell): boolean => Points === null && Tries > 0 && !Mark

export type Neighbours = {
  readonly previous: ResultRow | undefined
  readonly next: ResultRow | undefined
  /** From 1. */
  readonly place: number
  readonly total: number
}

/** Among the students who have a submission that counts for the `at`-th problem; and this one. */
export function findNeighbours(rows: readonly ResultRow[], login: string, at: number): Neighbours {
  const found = rows
    .filter(({ AccountName, CellList }) => AccountName === login || CellList[at]?.BestID != null)
    .sort(compareNames)
  const place = found.findIndex(({ AccountName }) => AccountName === login)
  return { previous: found[place - 1], next: found[place + 1], place: place + 1, total: found.length }
}
