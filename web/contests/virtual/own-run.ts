/**
 * A virtual participation: its start, kept in this browser, and the submissions since then, scored as in the contest.
 */
import { useState } from 'preact/hooks'
import type { BoardCell, BoardRow, Contest, Scoreboard } from '../../api/contests.ts'
import type { Operations, SubmissionSnippet } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { finished } from '../../judge/results.ts'

const keyOf = (accountId: number, contestId: string): string => `virtual start ${accountId} ${contestId}`

function readStart(key: string): number | undefined {
  try {
    return Number(localStorage.getItem(key)) || undefined
  } catch {
    return undefined
  }
}

export function useVirtualStart(accountId: number, contestId: string) {
  const key = keyOf(accountId, contestId)
  const [start, setStart] = useState(() => readStart(key))
  return {
    start,
    begin(at: number) {
      try {
        localStorage.setItem(key, String(at))
      } catch {}
      setStart(at)
    },
    end() {
      try {
        localStorage.removeItem(key)
      } catch {}
      setStart(undefined)
    },
  }
}

type Find = Operations['find_submission_snippet_list']

/** The reader's submissions since the start, newest first. */
export async function readSince(AccountID: number, start: number): Promise<readonly SubmissionSnippet[]> {
  const list: SubmissionSnippet[] = []
  let next: number | null | undefined
  while (next !== null) {
    const found: Find['result'] = await call('find_submission_snippet_list', { AccountID, Limit: 100, BeforeID: next })
    list.push(...found.SubmissionSnippetList.filter(({ CreatedTime }) => CreatedTime >= start))
    const isPast = found.SubmissionSnippetList.some(({ CreatedTime }) => CreatedTime < start)
    next = isPast ? null : found.NextBeforeID
  }
  return list
}

/** Results that cost a penalty: compile errors and judge failures do not. */
const costly: ReadonlySet<number> = new Set([3, 4, 5, 6, 8])
const none: BoardCell = { NumJudged: 0, NumPending: 0, IsSolved: false, IsFirst: false, Minute: null, Score: null }
export const virtualId = ' virtual'

function cellOf(list: readonly SubmissionSnippet[], start: number, durationMs: number): BoardCell {
  let cell = none
  for (const { CreatedTime, Status, Result } of list.toReversed()) {
    if (cell.IsSolved || CreatedTime - start >= durationMs) break
    if (Status !== finished) cell = { ...cell, NumPending: cell.NumPending + 1 }
    else if (Result === 1) cell = { ...cell, IsSolved: true, Minute: Math.floor((CreatedTime - start) / 60_000) }
    else if (costly.has(Result)) cell = { ...cell, NumJudged: cell.NumJudged + 1 }
  }
  return cell
}

const sumUp = (cells: readonly BoardCell[], penaltyMinutes: number, extra = 0) => {
  const solved = cells.filter(({ IsSolved }) => IsSolved)
  return {
    NumSolved: solved.length,
    Penalty: solved.reduce((sum, { Minute, NumJudged }) => sum + Minute! + penaltyMinutes * NumJudged, extra),
    LastMinute: Math.max(0, ...solved.map(({ Minute }) => Minute!)),
  }
}

/**
 * The board as it was at this minute of the contest, with the reader's own row. The final board has no times of tries at
 * problems that stayed unsolved: those tries appear at the end. No rank depends on them.
 */
export function boardAt(
  board: Scoreboard,
  contest: Contest,
  { name, start, now, list }: { name: string; start: number; now: number; list: readonly SubmissionSnippet[] },
): Scoreboard {
  const { PenaltyMinute, Duration } = contest
  const minute = Math.floor((now - start) / 60_000)
  const isOver = now - start >= Duration
  const others = board.RowList.map((row): BoardRow => {
    if (isOver) return row
    const CellList = row.CellList.map((cell) => (cell.IsSolved && cell.Minute! <= minute ? cell : none))
    const extra = row.Penalty - sumUp(row.CellList, PenaltyMinute).Penalty
    return { ...row, CellList, ...sumUp(CellList, PenaltyMinute, extra) }
  })
  const CellList = board.ProblemList.map(({ UUID }) =>
    cellOf(
      list.filter(({ Problem }) => Problem.UUID === UUID),
      start,
      Duration,
    ),
  )
  const own: BoardRow = {
    Rank: 0,
    TeamID: virtualId,
    Label: '',
    Name: `${name} (virtual)`,
    OrganisationID: null,
    OrganisationName: null,
    GroupIDList: [],
    Score: null,
    CellList,
    ...sumUp(CellList, PenaltyMinute),
  }
  const order = (a: BoardRow, b: BoardRow) =>
    b.NumSolved - a.NumSolved || a.Penalty - b.Penalty || a.LastMinute - b.LastMinute
  const sorted = [...others, own].sort((a, b) => order(a, b) || a.Name.localeCompare(b.Name, 'en'))
  let last = 0
  const RowList = sorted.map((row, at) => {
    if (at === 0 || order(sorted[at - 1]!, row) !== 0) last = at + 1
    return { ...row, Rank: last }
  })
  return { ...board, RowList }
}
