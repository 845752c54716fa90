/**
 * Reveals a frozen board step by step: the first pending problem of the last team, then its next one. If the team rises,
 * the team that is last then follows. Each step can be taken back.
 */
import type { BoardCell, BoardRow, ContestStyle, Scoreboard } from '../../api/contests.ts'

export type Rules = { readonly style: ContestStyle; readonly penaltyMinutes: number }

export type ResolvedRow = {
  readonly id: string
  readonly name: string
  readonly organisation: string | null
  /** The final rank once the row has its final place: teams that it is tied with may still rise. */
  readonly rank: number
  readonly solved: number
  readonly penalty: number
  readonly lastMinute: number
  readonly score: number
  readonly cells: readonly BoardCell[]
}

export type Frame = {
  /** From the first place down. */
  readonly rows: readonly ResolvedRow[]
  /** The current row; all rows below it have their final place. -1 at the end. */
  readonly current: number
  /** The problem that is highlighted or was just revealed. */
  readonly cell: number | undefined
  readonly kind: 'start' | 'select' | 'reveal' | 'place' | 'end'
  /** The team's place before a reveal. */
  readonly from: number | undefined
  /** The team of the step. */
  readonly team: string | undefined
}

export type Resolver = {
  /** Undefined after the last step. */
  at(step: number): Frame | undefined
}

const names = new Intl.Collator('en')

const orderOf =
  ({ style }: Rules) =>
  (a: ResolvedRow, b: ResolvedRow): number =>
    style === 'ioi' ? b.score - a.score : b.solved - a.solved || a.penalty - b.penalty || a.lastMinute - b.lastMinute

/** Ranks like the server: equal teams share a rank and are sorted by name. */
function rank(rows: readonly ResolvedRow[], rules: Rules): readonly ResolvedRow[] {
  const compare = orderOf(rules)
  const sorted = [...rows].sort((a, b) => compare(a, b) || names.compare(a.name, b.name) || (a.id < b.id ? -1 : 1))
  let last = 0
  return sorted.map((row, at) => {
    if (at === 0 || compare(sorted[at - 1]!, row) !== 0) last = at + 1
    return row.rank === last ? row : { ...row, rank: last }
  })
}

const toResolved = (row: BoardRow): ResolvedRow => ({
  id: row.TeamID,
  name: row.Name,
  organisation: row.OrganisationName,
  rank: row.Rank,
  solved: row.NumSolved,
  penalty: row.Penalty,
  lastMinute: row.LastMinute,
  score: row.Score ?? 0,
  cells: row.CellList,
})

const findPending = ({ cells }: ResolvedRow): number => cells.findIndex(({ NumPending }) => NumPending > 0)

/** The row with the final result of this problem. */
function reveal(row: ResolvedRow, at: number, truth: BoardCell, { style, penaltyMinutes }: Rules): ResolvedRow {
  const before = row.cells[at]!
  const cells = row.cells.map((cell, place) => (place === at ? { ...truth, NumPending: 0 } : cell))
  if (style === 'ioi') return { ...row, cells, score: row.score - (before.Score ?? 0) + (truth.Score ?? 0) }
  if (!truth.IsSolved || before.IsSolved) return { ...row, cells }
  const minute = truth.Minute ?? 0
  return {
    ...row,
    cells,
    solved: row.solved + 1,
    penalty: row.penalty + minute + penaltyMinutes * truth.NumJudged,
    lastMinute: Math.max(row.lastMinute, minute),
  }
}

/** The show pauses at these places and skips the others. */
export function makeResolver(open: Scoreboard, truth: Scoreboard, rules: Rules, stopsAt: number): Resolver {
  const truths = new Map(truth.RowList.map((row) => [row.TeamID, row.CellList]))
  const finalRanks = new Map(truth.RowList.map((row) => [row.TeamID, row.Rank]))
  const rows = rank(open.RowList.map(toResolved), rules)
  const start: Frame = {
    rows,
    current: rows.length - 1,
    cell: undefined,
    kind: 'start',
    from: undefined,
    team: undefined,
  }

  /** The rows from this place down have their final place. */
  const withFinalRanks = (rows: readonly ResolvedRow[], from: number): readonly ResolvedRow[] =>
    rows.map((row, at) => (at < from ? row : { ...row, rank: finalRanks.get(row.id) ?? row.rank }))

  /** The row at `current`, or the nearest one above it that has a problem to reveal or an award. */
  function settle(frame: Frame): Frame | undefined {
    let { current } = frame
    while (current >= 0) {
      const { id } = frame.rows[current]!
      const cell = findPending(frame.rows[current]!)
      const rows = withFinalRanks(frame.rows, cell >= 0 ? current + 1 : current)
      if (cell >= 0) return { rows, current, cell, kind: 'select', from: undefined, team: id }
      const isPlaced = frame.kind === 'place' && frame.current === current
      if (!isPlaced && rows[current]!.rank <= stopsAt)
        return { rows, current, cell: undefined, kind: 'place', from: undefined, team: id }
      current--
    }
    return frame.kind === 'end'
      ? undefined
      : {
          rows: withFinalRanks(frame.rows, 0),
          current: -1,
          cell: undefined,
          kind: 'end',
          from: undefined,
          team: undefined,
        }
  }

  function advance(frame: Frame): Frame | undefined {
    if (frame.kind !== 'select') return settle(frame)
    const { current, cell } = frame
    const row = frame.rows[current]!
    const known = truths.get(row.id)?.[cell!] ?? { ...row.cells[cell!]!, NumPending: 0 }
    const changed = frame.rows.map((one, at) => (at === current ? reveal(one, cell!, known, rules) : one))
    return { ...frame, rows: withFinalRanks(rank(changed, rules), current + 1), kind: 'reveal', from: row.rank }
  }

  const frames: Frame[] = [start]
  return {
    at(step) {
      while (frames.length <= step) {
        const next = advance(frames.at(-1)!)
        if (!next) return undefined
        frames.push(next)
      }
      return frames[step]
    },
  }
}
