/** What counts in a sheet, as a table: due times, late times, factors, shares, ties. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countTry, type Deadline, emptyCell, type Try } from '../../../src/judge/sheets/counted-submissions.ts'

const million = 1_000_000
const accepted = { isFinished: true, isAccepted: true, score: null, maximumScore: null }
const wrong = { ...accepted, isAccepted: false }
const failed = { ...accepted, isAccepted: false, isFailure: true }
const scored = (score: number, maximum = 100) => ({
  ...accepted,
  isAccepted: score === maximum,
  score: score * million,
  maximumScore: maximum * million,
})
const tryAt = (createdAt: number, of: Omit<Try, 'id' | 'createdAt'>): Try => ({ id: createdAt, createdAt, ...of })
const noDue = { dueTime: null, lateUntil: null, lateFactor: million }
const due100 = { dueTime: 100, lateUntil: null, lateFactor: million }
const late200 = { dueTime: 100, lateUntil: 200, lateFactor: million / 2 }

type Case = [what: string, tries: Try[], deadline: Deadline, cell: [number | null, number, boolean, number | null]]
const cases: Case[] = [
  ['nothing handed in', [], noDue, [null, 0, false, null]],
  ['accepted without a deadline', [tryAt(1_000, accepted)], noDue, [10, 1, false, 1_000]],
  ['wrong', [tryAt(1, wrong)], noDue, [0, 1, false, 1]],
  ['not judged yet', [tryAt(1, { ...accepted, isFinished: false })], noDue, [0, 1, false, 1]],
  [
    'accepted, the next one not judged yet',
    [tryAt(1, accepted), tryAt(2, { ...accepted, isFinished: false })],
    noDue,
    [10, 2, false, 1],
  ],
  ['at the due time', [tryAt(100, accepted)], due100, [10, 1, false, 100]],
  ['a millisecond after it', [tryAt(101, accepted)], due100, [null, 0, false, null]],
  ['late by a millisecond', [tryAt(101, accepted)], late200, [5, 1, true, 101]],
  ['at the end of the late time', [tryAt(200, accepted)], late200, [5, 1, true, 200]],
  ['after the late time', [tryAt(201, accepted)], late200, [null, 0, false, null]],
  ['the better late one', [tryAt(50, scored(20)), tryAt(150, scored(100))], late200, [5, 2, true, 150]],
  ['the better early one', [tryAt(50, scored(60)), tryAt(150, scored(100))], late200, [6, 2, false, 50]],
  ['the first of two that are equal', [tryAt(50, scored(60)), tryAt(60, scored(60))], noDue, [6, 2, false, 50]],
  ['a third, in whole millionths', [tryAt(1, scored(1, 3))], noDue, [3.333333, 1, false, 1]],
  ['late, with a factor of nothing', [tryAt(150, accepted)], { ...late200, lateFactor: 0 }, [0, 1, true, 150]],
  [
    'late after nothing in time, of two the better',
    [tryAt(120, scored(20)), tryAt(150, scored(90))],
    late200,
    [4.5, 2, true, 150],
  ],
  ['a due time of one’s own that is earlier', [tryAt(60, accepted)], { ...late200, dueTime: 50 }, [5, 1, true, 60]],
  ['points without a maximum, accepted', [tryAt(1, { ...scored(7), maximumScore: null })], noDue, [0, 1, false, 1]],
  ['a late third, rounded once', [tryAt(150, scored(1, 3))], late200, [1.666667, 1, true, 150]],
  ['two thirds', [tryAt(1, scored(2, 3))], noDue, [6.666667, 1, false, 1]],
  [
    'waiting ones, which count 0 until they are judged',
    [tryAt(1, wrong), tryAt(2, { ...accepted, isFinished: false }), tryAt(3, { ...accepted, isFinished: false })],
    noDue,
    [0, 3, false, 1],
  ],
  ['a failure of the judge alone', [tryAt(1, failed)], noDue, [null, 1, false, 1]],
  ['a failure of the judge after points', [tryAt(1, scored(40)), tryAt(2, failed)], noDue, [4, 2, false, 1]],
  ['nothing after a failure of the judge', [tryAt(50, failed), tryAt(150, wrong)], late200, [0, 2, true, 150]],
  ['one in time and one after everything', [tryAt(50, wrong), tryAt(300, accepted)], late200, [0, 1, false, 50]],
  ['an extension beyond the late time', [tryAt(250, accepted)], { ...late200, dueTime: 300 }, [10, 1, false, 250]],
]

describe('a cell of a sheet worth ten points', () => {
  for (const [what, tries, deadline, [points, count, isLate, bestId]] of cases)
    test(what, () => {
      const cell = tries.reduce((sum, one) => countTry(sum, one, 10 * million, deadline), emptyCell)
      assert.deepEqual(cell, {
        points: points === null ? null : Math.round(points * million),
        tries: count,
        isLate,
        firstLateId: tries.find(({ createdAt }) => createdAt > (deadline.dueTime ?? Infinity))?.id ?? null,
        bestId,
        waiting: tries.filter(({ isFinished }) => !isFinished).length,
        latest: count === 0 ? null : { id: tries[count - 1]!.id, createdAt: tries[count - 1]!.createdAt },
      })
    })
})
