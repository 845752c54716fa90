/** The cell of a board, computed from all submissions of a team to a problem. */
import type { ContestStyle } from '../../contest-access/contest.ts'

/** In the order of submission. */
export type CellSubmission = {
  readonly id: number
  readonly contestMs: number
  readonly isFinished: boolean
  readonly result: number
  /** In millionths. */
  readonly score: number | null
  readonly maximumScore: number | null
  readonly groups: readonly { readonly name: string; readonly score: number }[]
  readonly isIgnored: boolean
}

export type Cell = {
  /** Submissions that cost a penalty; in `ioi`, those judged without a compile error. */
  readonly judged: number
  /** All judged submissions that count, including the accepted one, without compile errors. */
  readonly finished: number
  readonly pending: number
  readonly isSolved: boolean
  /** When it was solved; in `ioi`, when its score last rose. */
  readonly solvedMs: number | null
  readonly solvedBy: number | null
  /** The first submission without a verdict. */
  readonly pendingMs: number | null
  readonly pendingId: number | null
  /** In millionths; null in `icpc`. */
  readonly score: number | null
}

export type CellRules = {
  readonly style: ContestStyle
  readonly durationMs: number
  /** The contest time from which all submissions count as pending; null without a freeze. */
  readonly frozenFromMs: number | null
}

const accepted = 1
const judgeFailure = 9
const costly: ReadonlySet<number> = new Set([3, 4, 5, 6, 8])
/** The maximum of a problem without points, in millionths. */
export const unscoredMaximum = 100_000_000

export function computeCell(submissions: readonly CellSubmission[], rules: CellRules): Cell {
  const { style, durationMs, frozenFromMs } = rules
  let [judged, finished, pending, score] = [0, 0, 0, 0]
  let isSolved = false
  let solved: CellSubmission | undefined
  let waiting: CellSubmission | undefined
  const best = new Map<string, number>()
  for (const one of submissions) {
    if (one.isIgnored || one.contestMs < 0 || one.contestMs >= durationMs) continue
    if (style === 'icpc' && isSolved) break
    const isFrozen = frozenFromMs !== null && one.contestMs >= frozenFromMs
    if (isFrozen || !one.isFinished || one.result === judgeFailure) {
      pending++
      waiting ??= one
      continue
    }
    if (style === 'icpc') {
      if (one.result === accepted) {
        finished++
        isSolved = true
        solved = one
      } else if (costly.has(one.result)) {
        finished++
        judged++
      }
      continue
    }
    if (one.result === accepted || costly.has(one.result)) {
      finished++
      judged++
    }
    for (const { name, score: points } of scoresOf(one)) best.set(name, Math.max(best.get(name) ?? 0, points))
    const sum = best.values().reduce((all, points) => all + points, 0)
    if (sum <= score) continue
    score = sum
    solved = one
    isSolved = sum >= (one.maximumScore ?? unscoredMaximum)
  }
  return {
    judged,
    finished,
    pending,
    isSolved,
    solvedMs: solved?.contestMs ?? null,
    solvedBy: solved?.id ?? null,
    pendingMs: waiting?.contestMs ?? null,
    pendingId: waiting?.id ?? null,
    score: style === 'ioi' ? score : null,
  }
}

/** Without groups the whole submission is one group. */
function scoresOf({ result, score, groups }: CellSubmission): readonly { name: string; score: number }[] {
  if (groups.length > 0) return groups
  return [{ name: '', score: score ?? (result === accepted ? unscoredMaximum : 0) }]
}

export type RowSums = {
  readonly solved: number
  /** In minutes. */
  readonly penalty: number
  readonly lastMinute: number
  /** In millionths. */
  readonly score: number
  readonly lastMs: number
}

const minuteMs = 60_000
export const toMinute = (contestMs: number): number => Math.floor(contestMs / minuteMs)

/** Adds up a team's cells. */
export function computeRow(
  cells: readonly Pick<Cell, 'isSolved' | 'judged' | 'solvedMs' | 'score'>[],
  { style, penaltyMinutes, extraPenalty }: { style: ContestStyle; penaltyMinutes: number; extraPenalty: number },
): RowSums {
  let [solved, penalty, lastMinute, score, lastMs] = [0, extraPenalty, 0, 0, 0]
  for (const cell of cells) {
    score += cell.score ?? 0
    if (cell.isSolved) solved++
    if (cell.solvedMs === null) continue
    lastMs = Math.max(lastMs, cell.solvedMs)
    if (style === 'ioi' || !cell.isSolved) continue
    penalty += toMinute(cell.solvedMs) + penaltyMinutes * cell.judged
    lastMinute = Math.max(lastMinute, toMinute(cell.solvedMs))
  }
  return { solved, penalty: style === 'ioi' ? 0 : penalty, lastMinute, score, lastMs }
}
