/** Ranks teams and finds who solved a problem first, when a board is built. */
import type { ContestStyle } from '../../contest-access/contest.ts'
import type { Cell, RowSums } from './cell.ts'

export type RankedTeam = {
  readonly id: number
  readonly publicId: string
  readonly label: string
  readonly name: string
  readonly organisationId: string | null
  readonly organisationName: string | null
  readonly groupIds: readonly string[]
}

export type BoardProblem = {
  readonly id: number
  readonly publicId: string
  readonly label: string
  readonly ordinal: number
  readonly colour: string
  readonly name: string
  readonly uuid: string
}

export type BoardCell = Cell & { readonly isFirst: boolean }

export type BoardRow = RowSums & {
  readonly rank: number
  readonly team: RankedTeam
  /** In problem order. */
  readonly cells: readonly BoardCell[]
}

type Unranked = Omit<BoardRow, 'rank'>

export const emptyCell: BoardCell = {
  judged: 0,
  finished: 0,
  pending: 0,
  isSolved: false,
  solvedMs: null,
  solvedBy: null,
  pendingMs: null,
  pendingId: null,
  score: null,
  isFirst: false,
}

export const names = new Intl.Collator('en')

const orderOf = (style: ContestStyle) => (a: Unranked, b: Unranked) =>
  style === 'ioi' ? b.score - a.score : b.solved - a.solved || a.penalty - b.penalty || a.lastMinute - b.lastMinute

/** Equal teams share a rank, and are sorted by name. */
export function rankRows(rows: readonly Unranked[], style: ContestStyle): BoardRow[] {
  const compare = orderOf(style)
  const sorted = [...rows].sort(
    (a, b) => compare(a, b) || names.compare(a.team.name, b.team.name) || (a.team.publicId < b.team.publicId ? -1 : 1),
  )
  let rank = 0
  return sorted.map((row, i) => {
    if (i === 0 || compare(sorted[i - 1]!, row) !== 0) rank = i + 1
    return { ...row, rank }
  })
}

/** The team that solved the problem first, unless an earlier submission still waits for its verdict. */
export function findFirst(cells: readonly { readonly teamId: number; readonly cell: Cell }[]): number | undefined {
  let first: { readonly teamId: number; readonly cell: Cell } | undefined
  for (const one of cells) {
    if (!one.cell.isSolved) continue
    if (!first || isEarlier(one.cell.solvedMs!, one.cell.solvedBy!, first.cell.solvedMs!, first.cell.solvedBy!))
      first = one
  }
  if (!first) return undefined
  const { solvedMs, solvedBy } = first.cell
  const isOpen = cells.some(
    ({ cell }) => cell.pendingMs !== null && isEarlier(cell.pendingMs, cell.pendingId!, solvedMs!, solvedBy!),
  )
  return isOpen ? undefined : first.teamId
}

const isEarlier = (ms: number, id: number, otherMs: number, otherId: number) =>
  ms < otherMs || (ms === otherMs && id < otherId)
