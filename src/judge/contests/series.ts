/**
 * Series: standings over several contests, from the boards that the caller may see. Teams with the same ID are the same
 * team.
 */
import type { Actor } from '../../accounts/actor.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { requireAct } from '../access.ts'
import type { StoreSheet } from '../results/grade-sheet.ts'
import { type BoardRow, names } from './board/ranking.ts'
import type { Scoreboards } from './scoreboards.ts'

/** `best`: counts for each team only this many of its best contests. */
export type SeriesRule = { readonly kind: 'sum' } | { readonly kind: 'best'; readonly count: number }

export type SeriesCell = {
  readonly contestId: string
  /** Solved problems, or points in millionths. */
  readonly points: number
  readonly penalty: number
  readonly rank: number
  readonly isCounted: boolean
}

export type SeriesRow = {
  readonly rank: number
  readonly teamId: string
  /** From the last contest that it took part in. */
  readonly name: string
  readonly points: number
  readonly penalty: number
  readonly cells: readonly SeriesCell[]
}

export type Series = { readonly style: 'icpc' | 'ioi'; readonly rows: readonly SeriesRow[] }

export const mostSeriesContests = 50
/** Rows of all contests together: adding up this many takes some 50 ms. */
const mostRows = 100_000
const millionth = 1_000_000

type Needs = { scoreboards: Pick<Scoreboards, 'get'>; storeSheet: StoreSheet }

export type SeriesService = ReturnType<typeof makeSeries>

export function makeSeries({ scoreboards, storeSheet }: Needs) {
  async function get(
    actor: Actor,
    contestIds: readonly string[],
    rule: SeriesRule,
    isPublic: boolean,
  ): Promise<Series> {
    const ids = [...new Set(contestIds)]
    const contests: { id: string; rows: readonly BoardRow[] }[] = []
    let style: Series['style'] | undefined
    let count = 0
    for (const id of ids) {
      const { board, rows } = await scoreboards.get(actor, id, { isPublic, groupId: undefined })
      style ??= board.contest.style
      const isAlike = board.contest.style === style
      demand(isAlike, 'precondition', 'mixed-styles', 'The contests of a series are all icpc, or all ioi.')
      count += rows.length
      if (count > mostRows)
        throw new Failure('limited', 'series-too-large', `A series has at most ${mostRows} rows of teams in all.`)
      contests.push({ id, rows })
    }
    return { style: style!, rows: rankSeries(contests, style!, rule) }
  }

  return {
    get,

    /** An item per team, with the points of each contest by its ID; null if it did not take part. */
    async storeAsDataset(
      actor: Actor,
      contestIds: readonly string[],
      rule: SeriesRule,
      isPublic: boolean,
      name: string,
    ): Promise<{ datasetId: string; itemCount: number }> {
      requireAct(actor, 'gradeResults')
      const { style, rows } = await get(actor, contestIds, rule, isPublic)
      const shown = (points: number) => (style === 'ioi' ? points / millionth : points)
      const items = rows.map((row) => ({
        rank: row.rank,
        team: row.teamId,
        name: row.name,
        points: shown(row.points),
        penalty: row.penalty,
        ...Object.fromEntries(
          [...new Set(contestIds)].map((id) => {
            const cell = row.cells.find(({ contestId }) => contestId === id)
            return [`contest ${id}`, cell ? shown(cell.points) : null]
          }),
        ),
      }))
      const { id: datasetId } = await storeSheet(actor, name, [items])
      return { datasetId, itemCount: items.length }
    },
  }
}

/** More points, then less penalty; if both are equal, so is the rank. */
const compare = (a: { points: number; penalty: number }, b: { points: number; penalty: number }) =>
  b.points - a.points || a.penalty - b.penalty

export function rankSeries(
  contests: readonly { readonly id: string; readonly rows: readonly BoardRow[] }[],
  style: 'icpc' | 'ioi',
  rule: SeriesRule,
): SeriesRow[] {
  const teams = new Map<string, { name: string; cells: Omit<SeriesCell, 'isCounted'>[] }>()
  for (const { id, rows } of contests)
    for (const { team, rank, solved, score, penalty } of rows) {
      const known = teams.get(team.publicId) ?? { name: team.name, cells: [] }
      known.name = team.name
      known.cells.push({ contestId: id, points: style === 'ioi' ? score : solved, penalty, rank })
      teams.set(team.publicId, known)
    }
  const unranked = [...teams].map(([teamId, { name, cells }]) => {
    const best = rule.kind === 'sum' ? cells : cells.toSorted(compare).slice(0, rule.count)
    const counted = new Set(best)
    return {
      teamId,
      name,
      points: best.reduce((sum, { points }) => sum + points, 0),
      penalty: best.reduce((sum, { penalty }) => sum + penalty, 0),
      cells: cells.map((cell) => ({ ...cell, isCounted: counted.has(cell) })),
    }
  })
  unranked.sort((a, b) => compare(a, b) || names.compare(a.name, b.name) || (a.teamId < b.teamId ? -1 : 1))
  let rank = 0
  return unranked.map((row, i) => {
    if (i === 0 || compare(unranked[i - 1]!, row) !== 0) rank = i + 1
    return { rank, ...row }
  })
}
