/** The resolver's steps: whatever was frozen, it ends with the jury's board, and every step can be taken back. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { BoardCell, BoardRow, ContestStyle, Scoreboard } from '../../web/api/contests.ts'
import { readRows } from '../../web/contests/jury/team-list.ts'
import { type Frame, makeResolver } from '../../web/contests/resolver/resolving.ts'

const penaltyMinutes = 20
const none = { NumJudged: 0, NumPending: 0, IsSolved: false, IsFirst: false, Minute: null, Score: null }

type Outcome = { wrong: number; minute: number | null; score: number; isFrozen: boolean }

const cellOf = (style: ContestStyle, { wrong, minute, score }: Outcome): BoardCell =>
  style === 'ioi'
    ? { ...none, NumJudged: wrong, Score: score, IsSolved: score === 100 }
    : { ...none, NumJudged: wrong, IsSolved: minute !== null, Minute: minute }

const hide = (style: ContestStyle): BoardCell => ({ ...none, NumPending: 1, Score: style === 'ioi' ? 0 : null })

/** Ranked by hand: those who are alike share a rank. */
function boardOf(style: ContestStyle, edition: 'public' | 'jury', teams: readonly (readonly Outcome[])[]): Scoreboard {
  const rows = teams.map((outcomes, at): BoardRow => {
    const CellList = outcomes.map((one) => (one.isFrozen && edition === 'public' ? hide(style) : cellOf(style, one)))
    const solved = style === 'icpc' ? CellList.filter(({ IsSolved }) => IsSolved) : []
    return {
      Rank: 0,
      TeamID: `t${at}`,
      Label: '',
      Name: `Team ${at}`,
      OrganisationID: null,
      OrganisationName: null,
      GroupIDList: [],
      NumSolved: solved.length,
      Penalty: solved.reduce((sum, cell) => sum + cell.Minute! + penaltyMinutes * cell.NumJudged, 0),
      LastMinute: Math.max(0, ...solved.map(({ Minute }) => Minute!)),
      Score: style === 'ioi' ? CellList.reduce((sum, cell) => sum + (cell.Score ?? 0), 0) : null,
      CellList,
    }
  })
  const isBetter = (a: BoardRow, b: BoardRow) =>
    style === 'ioi'
      ? a.Score! > b.Score!
      : a.NumSolved !== b.NumSolved
        ? a.NumSolved > b.NumSolved
        : a.Penalty !== b.Penalty
          ? a.Penalty < b.Penalty
          : a.LastMinute < b.LastMinute
  const RowList = rows.map((row) => ({ ...row, Rank: 1 + rows.filter((other) => isBetter(other, row)).length }))
  return { ContestID: 'c', Edition: edition, State: 'ended', IsFrozen: true, ProblemList: [], RowList }
}

const walk = (resolver: ReturnType<typeof makeResolver>): Frame[] => {
  const frames: Frame[] = []
  for (let step = 0; ; step++) {
    const frame = resolver.at(step)
    if (!frame) return frames
    frames.push(frame)
  }
}

describe('the resolver', () => {
  test('it reveals from the last place up, and ends with the ranks, sums and cells of the jury', () => {
    const outcome = fc.record({
      wrong: fc.nat(4),
      minute: fc.option(fc.integer({ min: 0, max: 299 })),
      score: fc.nat(100),
      isFrozen: fc.boolean(),
    })
    const teams = fc.array(fc.array(outcome, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.constantFrom<ContestStyle>('icpc', 'ioi'), teams, (style, list) => {
        const truth = boardOf(style, 'jury', list)
        const resolver = makeResolver(boardOf(style, 'public', list), truth, { style, penaltyMinutes }, 3)
        const frames = walk(resolver)
        const last = frames.at(-1)!
        assert.equal(last.kind, 'end')
        for (const row of truth.RowList) {
          const shown = last.rows.find(({ id }) => id === row.TeamID)!
          assert.equal(shown.rank, row.Rank)
          const sums = style === 'ioi' ? [shown.score] : [shown.solved, shown.penalty, shown.lastMinute]
          assert.deepEqual(sums, style === 'ioi' ? [row.Score] : [row.NumSolved, row.Penalty, row.LastMinute])
          assert.deepEqual(shown.cells, row.CellList)
        }
        const rankOf = new Map(truth.RowList.map(({ TeamID, Rank }) => [TeamID, Rank]))
        // Teams tied with the one that is placed may still rise: its rank is that of the end.
        const placed = frames.filter(({ kind }) => kind === 'place').map(({ team }) => team!)
        assert.deepEqual(
          placed.toSorted(),
          [...rankOf].flatMap(([id, rank]) => (rank <= 3 ? [id] : [])),
          'each of the first three ranks is announced once',
        )
        for (const { kind, current, rows } of frames)
          for (const { id, rank } of rows.slice(kind === 'place' ? current : current + 1))
            assert.equal(rank, rankOf.get(id))
        // What lies below has its place: it never changes again.
        for (const [at, { current, rows }] of frames.entries()) {
          if (at > 0) assert.ok(current <= frames[at - 1]!.current)
          assert.ok(rows.slice(current + 1).every(({ cells }) => cells.every(({ NumPending }) => NumPending === 0)))
          assert.deepEqual(
            rows.slice(current + 1).map(({ id }) => id),
            last.rows.slice(current + 1).map(({ id }) => id),
          )
        }
        const reveals = frames.filter(({ kind }) => kind === 'reveal').length
        assert.equal(reveals, list.flat().filter(({ isFrozen }) => isFrozen).length)
        assert.equal(resolver.at(0)!.kind, 'start', 'every step can be gone back to')
      }),
    )
  })

  test('a list of teams is read with headings in any order, or without, with commas, semicolons or tabs', () => {
    const owls = { line: 1, name: 'Owls', organisation: 'X', groups: 'North', accounts: 'ann ben', id: '' }
    assert.deepEqual(readRows('Owls,X,North,ann ben\n'), [owls])
    assert.deepEqual(readRows('Logins;Team;Group;University\nann ben;Owls;North;X'), [{ ...owls, line: 2 }])
    assert.deepEqual(readRows('ID\tTeam\n7\t"Owls, the first"\n\n'), [
      { line: 2, name: 'Owls, the first', organisation: '', groups: '', accounts: '', id: '7' },
    ])
    assert.deepEqual(
      readRows('Owls\nFoxes').map(({ name }) => name),
      ['Owls', 'Foxes'],
    )
  })
})
