/** Awards: winner, medals, first to solve, group winners, and the ranks and honours of the World Finals. */
import type { Contest } from '../../contest-access/contest.ts'
import type { BoardProblem, BoardRow } from './ranking.ts'

export type Award = { readonly id: string; readonly citation: string; readonly teamIds: readonly string[] }

type Medals = Pick<
  Contest,
  'style' | 'goldMedals' | 'silverMedals' | 'bronzeMedals' | 'extraBronze' | 'hasWorldFinalsRanks'
>

type Board = { readonly rows: readonly BoardRow[]; readonly problems: readonly BoardProblem[] }

export function listAwards(contest: Medals, groups: readonly { id: string; name: string }[], board: Board): Award[] {
  const { rows, problems } = board
  const scored = rows.filter((row) => hasScored(contest, row))
  const idsOf = (some: readonly BoardRow[]) => some.map(({ team }) => team.publicId)
  const firsts = problems.map(({ publicId, label }, i) => ({
    id: `first-to-solve-${publicId}`,
    citation: `First to solve problem ${label}`,
    teamIds: idsOf(rows.filter(({ cells }) => cells[i]!.isFirst)),
  }))
  const winners = groups.map(({ id, name }) => {
    const own = scored.filter(({ team }) => team.groupIds.includes(id))
    return {
      id: `group-winner-${id}`,
      citation: `Winner of group ${name}`,
      teamIds: idsOf(own.filter(({ rank }) => rank === own[0]!.rank)),
    }
  })
  const { goldMedals: gold, silverMedals: silver, bronzeMedals, extraBronze } = contest
  const bronze = bronzeMedals + extraBronze
  const between = (from: number, to: number) => scored.filter(({ rank }) => rank > from && rank <= to)
  return [
    { id: 'winner', citation: 'Contest winner', teamIds: idsOf(scored.filter(({ rank }) => rank === 1)) },
    ...medal('gold', 'Gold', gold, idsOf(between(0, gold))),
    ...medal('silver', 'Silver', silver, idsOf(between(gold, gold + silver))),
    ...medal('bronze', 'Bronze', bronze, idsOf(between(gold + silver, gold + silver + bronze))),
    ...firsts,
    ...winners,
    ...(contest.hasWorldFinalsRanks ? listHonours(rows, scored, gold + silver + bronze) : []),
  ]
}

const medal = (id: string, word: string, count: number, teamIds: readonly string[]): Award[] =>
  count === 0 ? [] : [{ id: `${id}-medal`, citation: `${word} medal winner`, teamIds }]

/** A medal requires a solved problem, or a point if problems are scored. */
const hasScored = ({ style }: Medals, { solved, score }: BoardRow): boolean =>
  style === 'ioi' ? score > 0 : solved > 0

/**
 * Medallists are ranked among themselves. Teams below are ranked only by the number of solved problems, and those with
 * fewer than the median team are not ranked. Honours depend on the distance to the last medallist.
 */
function listHonours(rows: readonly BoardRow[], scored: readonly BoardRow[], medals: number): Award[] {
  const median = rows[Math.floor(rows.length / 2)]?.solved ?? 0
  const medallists = scored.filter(({ rank }) => rank <= medals)
  const lowest = medallists.at(-1)?.solved ?? 0
  const ranks = new Map<number, string[]>()
  const honours = { 'highest-honors': [] as string[], 'high-honors': [] as string[], honors: [] as string[] }
  const mentioned: string[] = []
  const rankOf = new Map<number, number>()
  for (const row of rows) {
    const { publicId } = row.team
    const isMedallist = row.rank <= medals && row.solved > 0
    if (!isMedallist && (row.solved === 0 || row.solved < median)) {
      mentioned.push(publicId)
      continue
    }
    if (!isMedallist && !rankOf.has(row.solved)) rankOf.set(row.solved, row.rank)
    const rank = isMedallist ? row.rank : rankOf.get(row.solved)!
    ranks.set(rank, [...(ranks.get(rank) ?? []), publicId])
    if (isMedallist) continue
    const name = row.solved === lowest ? 'highest-honors' : row.solved === lowest - 1 ? 'high-honors' : 'honors'
    honours[name].push(publicId)
  }
  return [
    ...[...ranks].map(([rank, teamIds]) => ({ id: `rank-${rank}`, citation: `Rank ${rank}`, teamIds })),
    { id: 'highest-honors', citation: 'Highest honors', teamIds: honours['highest-honors'] },
    { id: 'high-honors', citation: 'High honors', teamIds: honours['high-honors'] },
    { id: 'honors', citation: 'Honors', teamIds: honours.honors },
    { id: 'honorable-mention', citation: 'Honorable mention', teamIds: mentioned },
  ]
}
