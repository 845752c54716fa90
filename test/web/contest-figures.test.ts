/** What the pages of contests compute by themselves: a length that ends now, and the names of colours. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { colourName } from '../../web/contests/colour-name.ts'
import { endAt } from '../../web/contests/jury/end-times.ts'

const minute = 60_000

describe('the pages of contests', () => {
  test('a contest that ends now keeps the freeze where it was, or goes without one', () => {
    const whole = { StartTime: 0, Duration: 300 * minute, FreezeDuration: 60 * minute, RemovedIntervalList: [] }
    for (const [now, length, freeze] of [
      [100, 100, null],
      [240, 240, null],
      [270, 270, 30],
      [0.5, 1, null],
    ] as const) {
      const expected = { Duration: length * minute, FreezeDuration: freeze && freeze * minute }
      assert.deepEqual(endAt(whole, now * minute), expected, `after ${now} minutes`)
    }
    const RemovedIntervalList = [
      { StartTime: 10 * minute, EndTime: 40 * minute },
      { StartTime: 95 * minute, EndTime: 120 * minute },
    ]
    assert.equal(endAt({ ...whole, RemovedIntervalList }, 100 * minute).Duration, 65 * minute)
    assert.equal(endAt({ ...whole, FreezeDuration: null }, 100 * minute).FreezeDuration, null)
  })

  test('a colour is called by the nearest name', () => {
    for (const [colour, name] of [
      ['#e6194b', 'Red'],
      ['#ff0000', 'Red'],
      ['#0000f0', 'Blue'],
      ['#fefefe', 'White'],
      ['#101010', 'Black'],
      ['#f032e6', 'Magenta'],
      ['#00ff00', 'Green'],
      ['#7f7f7f', 'Grey'],
    ] as const)
      assert.equal(colourName(colour), name, colour)
  })
})
