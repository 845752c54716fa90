/** Awards: who gets which, by a board that is written by hand. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listAwards } from '../../../src/judge/contests/board/awards.ts'
import { type BoardRow, emptyCell, rankRows } from '../../../src/judge/contests/board/ranking.ts'

/** A team by what it solved and its penalty; `first`: it solved the problem first. */
type Line = readonly [id: string, solved: number, penalty: number, groups?: readonly string[], first?: boolean]

const rowsOf = (lines: readonly Line[]): BoardRow[] =>
  rankRows(
    lines.map(([id, solved, penalty, groupIds = [], isFirst = false], i) => ({
      team: { id: i + 1, publicId: id, label: '', name: id, organisationId: null, organisationName: null, groupIds },
      ...{ solved, penalty, lastMinute: 0, score: 0, lastMs: 0 },
      cells: [{ ...emptyCell, isFirst }],
    })),
    'icpc',
  )

const problems = [{ id: 1, publicId: 'sum', label: 'A', ordinal: 0, colour: '#000000', name: 'Sum', uuid: '' }]
const groups = [
  { id: 'north', name: 'North' },
  { id: 'south', name: 'South' },
]
const medals = { goldMedals: 1, silverMedals: 1, bronzeMedals: 1, extraBronze: 0, hasWorldFinalsRanks: false }

type Rules = Partial<Parameters<typeof listAwards>[0]>
const awardsOf = (lines: readonly Line[], rules: Rules = {}) =>
  Object.fromEntries(
    listAwards({ style: 'icpc', ...medals, ...rules }, groups, { rows: rowsOf(lines), problems }).map((award) => [
      award.id,
      award.teamIds.join(' '),
    ]),
  )

test('the winner, medals, the first solver and the winners of groups', () => {
  const lines: Line[] = [
    ['a', 3, 100, ['north'], true],
    ['b', 3, 120, ['south']],
    ['c', 3, 120, ['south', 'north']],
    ['d', 2, 50],
    ['e', 0, 0],
  ]
  assert.deepEqual(awardsOf(lines), {
    winner: 'a',
    'gold-medal': 'a',
    'silver-medal': 'b c',
    'bronze-medal': '',
    'first-to-solve-sum': 'a',
    'group-winner-north': 'a',
    'group-winner-south': 'b c',
  })
  assert.equal(awardsOf(lines, { extraBronze: 1 })['bronze-medal'], 'd')
  assert.ok(!('gold-medal' in awardsOf(lines, { goldMedals: 0 })))
})

test('a medal needs one problem solved, and so does winning', () => {
  assert.deepEqual(
    awardsOf([
      ['a', 0, 0, ['north']],
      ['b', 0, 0],
    ]),
    {
      winner: '',
      'gold-medal': '',
      'silver-medal': '',
      'bronze-medal': '',
      'first-to-solve-sum': '',
      'group-winner-north': '',
      'group-winner-south': '',
    },
  )
})

test('at the World Finals those without a medal are ranked by how many they solved, and those below the median not at all', () => {
  const lines: Line[] = [
    ['gold', 6, 10],
    ['silver', 5, 10],
    ['bronze', 5, 20],
    ['highest1', 5, 30],
    ['highest2', 5, 40],
    ['high1', 4, 10],
    ['high2', 4, 20],
    ['plain1', 3, 10],
    ['plain2', 3, 30],
    ['below1', 2, 10],
    ['below2', 2, 20],
    ['below3', 2, 30],
    ['below4', 1, 10],
    ['below5', 1, 10],
    ['none1', 0, 0],
    ['none2', 0, 0],
  ]
  const awards = awardsOf(lines.slice(0, 15), { hasWorldFinalsRanks: true })
  const only = Object.fromEntries(Object.entries(awards).filter(([id]) => /^rank-|hon/.test(id)))
  // The median of 15 teams is the eighth, which solved three.
  assert.deepEqual(only, {
    'rank-1': 'gold',
    'rank-2': 'silver',
    'rank-3': 'bronze',
    'rank-4': 'highest1 highest2',
    'rank-6': 'high1 high2',
    'rank-8': 'plain1 plain2',
    'highest-honors': 'highest1 highest2',
    'high-honors': 'high1 high2',
    honors: 'plain1 plain2',
    'honorable-mention': 'below1 below2 below3 below4 below5 none1',
  })
})

test('in ioi a medal needs a point', () => {
  const rows = rankRows(
    rowsOf([
      ['a', 0, 0],
      ['b', 0, 0],
    ]).map((row, i) => ({ ...row, score: i === 0 ? 1 : 0 })),
    'ioi',
  )
  const awards = listAwards({ style: 'ioi', ...medals }, [], { rows, problems })
  assert.deepEqual(awards.find(({ id }) => id === 'gold-medal')!.teamIds, ['a'])
  assert.deepEqual(awards.find(({ id }) => id === 'silver-medal')!.teamIds, [])
})
