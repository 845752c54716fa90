/** Cells of `ioi` are what an independent recomputation gives, for any submissions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CellSubmission, computeCell, computeRow } from '../../../src/judge/contests/board/cell.ts'

const durationMs = 1_000
const names = ['one', 'two', 'three']
const most = 100_000_000

const submission = fc.record({
  contestMs: fc.integer({ min: -50, max: 1_050 }),
  isFinished: fc.boolean(),
  result: fc.integer({ min: 1, max: 9 }),
  score: fc.option(fc.integer({ min: 0, max: most })),
  maximumScore: fc.constant(most),
  groups: fc.uniqueArray(fc.record({ name: fc.constantFrom(...names), score: fc.integer({ min: 0, max: most / 2 }) }), {
    selector: ({ name }) => name,
  }),
  isIgnored: fc.boolean(),
})
const handedIn = fc
  .array(submission, { maxLength: 12 })
  .map((all) => all.sort((a, b) => a.contestMs - b.contestMs).map((one, i): CellSubmission => ({ ...one, id: i + 1 })))
const freeze = fc.option(fc.integer({ min: 0, max: durationMs }))

/** From the rules: of each group the best, those without groups as one more; what waits or is frozen is pending. */
function expectCell(all: readonly CellSubmission[], frozenFromMs: number | null) {
  const inTime = all.filter((one) => !one.isIgnored && one.contestMs >= 0 && one.contestMs < durationMs)
  const isPending = (one: CellSubmission) =>
    (frozenFromMs !== null && one.contestMs >= frozenFromMs) || !one.isFinished || one.result === 9
  const judged = inTime.filter((one) => !isPending(one))
  const scoreAfter = (count: number) => {
    const some = judged.slice(0, count)
    const bestOf = (pick: (one: CellSubmission) => number) => Math.max(0, ...some.map(pick))
    const whole = bestOf((one) => (one.groups.length > 0 ? 0 : (one.score ?? (one.result === 1 ? most : 0))))
    const parts = names.map((name) => bestOf((one) => one.groups.find((group) => group.name === name)?.score ?? 0))
    return parts.reduce((sum, part) => sum + part, whole)
  }
  const score = scoreAfter(judged.length)
  const rose = judged.findLast((_, i) => scoreAfter(i + 1) > scoreAfter(i))
  return {
    judged: judged.filter(({ result }) => result !== 2 && result !== 7).length,
    pending: inTime.length - judged.length,
    score,
    solvedMs: rose?.contestMs ?? null,
    isSolved: score >= most,
  }
}

test('each group gives its best over all submissions, whatever comes in which order', () => {
  fc.assert(
    fc.property(handedIn, freeze, (all, frozenFromMs) => {
      const { judged, pending, score, solvedMs, isSolved } = computeCell(all, {
        style: 'ioi',
        durationMs,
        frozenFromMs,
      })
      assert.deepEqual({ judged, pending, score, solvedMs, isSolved }, expectCell(all, frozenFromMs))
    }),
    { numRuns: 2_000 },
  )
})

test('a row is the sum of its cells, without penalty', () => {
  fc.assert(
    fc.property(fc.array(handedIn, { maxLength: 4 }), (problems) => {
      const cells = problems.map((all) => computeCell(all, { style: 'ioi', durationMs, frozenFromMs: null }))
      const row = computeRow(cells, { style: 'ioi', penaltyMinutes: 20, extraPenalty: 7 })
      const expected = problems.map((all) => expectCell(all, null))
      assert.equal(
        row.score,
        expected.reduce((sum, { score }) => sum + score, 0),
      )
      assert.equal(row.lastMs, Math.max(0, ...expected.map(({ solvedMs }) => solvedMs ?? 0)))
      assert.equal(row.penalty, 0)
    }),
    { numRuns: 500 },
  )
})
