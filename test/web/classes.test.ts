/** Classes and sheets in a real browser: a teacher’s Monday, whose programs really run, and pages besides, whose verdicts a worker only reports. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { makeManualClock } from '../../src/lib/clock.ts'
import { lacksBrowser } from '../support/browser.ts'
import { testClassLooks } from './classes/class-looks.ts'
import type { ClassWorld } from './classes/class-world.ts'
import { testConsentPages } from './classes/consent-pages.ts'
import { testMonday } from './classes/monday.ts'
import { testSetterCare } from './classes/setter-care.ts'
import { testSheetQuestions } from './classes/sheet-questions.ts'
import { testTeacherPages } from './classes/teacher-pages.ts'
import { openStage } from './stage.ts'

describe('classes and sheets in a browser', { skip: lacksBrowser }, () => {
  const world = { clock: makeManualClock(Date.now()) } as ClassWorld
  before(async () => {
    world.stage = await openStage({ clock: world.clock, isJudged: false })
  })
  afterEach(() => world.stage.closeTabs())
  after(() => world.stage?.close())

  testMonday(world)
  testSheetQuestions(world)
  testTeacherPages(world)
  testConsentPages(world)
  testSetterCare(world)
  testClassLooks(world)

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(world.stage.complaints(), [])
  })
})
