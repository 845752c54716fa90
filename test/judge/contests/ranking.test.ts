/** Ranks and first solvers, by rows that are written by hand. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyCell, findFirst, rankRows } from '../../../src/judge/contests/board/ranking.ts'

type Sums = readonly [name: string, solved: number, penalty: number, last: number, score?: number]

const rank = (rows: readonly Sums[], style: 'icpc' | 'ioi') =>
  rankRows(
    rows.map(([name, solved, penalty, lastMinute, score = 0], i) => ({
      team: { id: i, publicId: name, label: '', name, organisationId: null, organisationName: null, groupIds: [] },
      ...{ solved, penalty, lastMinute, score, lastMs: 0, cells: [] },
    })),
    style,
  ).map((row) => `${row.rank} ${row.team.name}`)

test('more solved, then less penalty, then the earlier last one; those alike share a rank, and stand by name', () => {
  const rows: Sums[] = [
    ['zebra', 2, 100, 60],
    ['Ärger', 2, 100, 60],
    ['apple', 2, 100, 60],
    ['late', 2, 100, 61],
    ['slow', 2, 101, 10],
    ['many', 3, 900, 299],
    ['none', 0, 0, 0],
  ]
  const expected = ['1 many', '2 apple', '2 Ärger', '2 zebra', '5 late', '6 slow', '7 none']
  assert.deepEqual(rank(rows, 'icpc'), expected)
  assert.deepEqual(rank(rows.toReversed(), 'icpc'), expected)
})

test('in ioi points alone make the rank', () => {
  const rows: Sums[] = [
    ['b', 9, 5, 1, 10],
    ['a', 0, 500, 100, 10],
    ['c', 0, 0, 0, 11],
  ]
  assert.deepEqual(rank(rows, 'ioi'), ['1 c', '2 a', '2 b'])
})

test('nobody is first while something that was handed in before waits', () => {
  const solved = (teamId: number, solvedMs: number, solvedBy: number) => ({
    teamId,
    cell: { ...emptyCell, isSolved: true, solvedMs, solvedBy },
  })
  const pending = (teamId: number, pendingMs: number, pendingId: number) => ({
    teamId,
    cell: { ...emptyCell, pending: 1, pendingMs, pendingId },
  })
  const cases: [cells: Parameters<typeof findFirst>[0], first: number | undefined][] = [
    [[], undefined],
    [[pending(1, 10, 1)], undefined],
    [[solved(1, 20, 5), solved(2, 10, 3)], 2],
    [[solved(1, 10, 5), solved(2, 10, 3)], 2],
    [[solved(1, 20, 5), pending(2, 19, 4)], undefined],
    [[solved(1, 20, 5), pending(2, 21, 6)], 1],
    [[solved(1, 20, 5), pending(2, 20, 4)], undefined],
    [[solved(1, 20, 5), pending(2, 20, 6)], 1],
  ]
  for (const [cells, first] of cases) assert.equal(findFirst(cells), first, JSON.stringify(cells))
})
