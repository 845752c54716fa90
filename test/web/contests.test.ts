/** Contests in a real browser: the day of one from its making to the medals, a board of five thousand teams, and how all of it looks. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { makeManualClock } from '../../src/lib/clock.ts'
import { lacksBrowser } from '../support/browser.ts'
import { testContestCare } from './contests/contest-care.ts'
import { testContestDay } from './contests/contest-day.ts'
import { testContestLooks } from './contests/contest-looks.ts'
import type { ContestWorld } from './contests/contest-world.ts'
import { testLargeBoard } from './contests/large-board.ts'
import { openStage } from './stage.ts'

describe('contests in a browser', { skip: lacksBrowser }, () => {
  const world = { clock: makeManualClock(Date.now()), slips: new Map() } as unknown as ContestWorld
  before(async () => {
    world.stage = await openStage({ clock: world.clock })
  })
  afterEach(() => world.stage.closeTabs())
  after(() => world.stage?.close())

  testContestDay(world)
  testContestCare(world)
  testLargeBoard(world)
  testContestLooks(world)

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(world.stage.complaints(), [])
  })
})
