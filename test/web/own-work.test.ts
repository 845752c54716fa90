/** A day of a developer in a real browser: what one writes, what one is notified of, and one's own work across repositories. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { lacksBrowser } from '../support/browser.ts'
import { type CodeStage, openCodeStage } from './code-stage.ts'
import { testOwnWork } from './flows/own-work.ts'
import { testWriting } from './flows/writing.ts'

export type OwnWorkWorld = { stage: CodeStage }

describe('one’s own work in a browser', { skip: lacksBrowser }, () => {
  const world = {} as OwnWorkWorld
  before(async () => {
    world.stage = await openCodeStage()
    await world.stage.as('ann').post('/user/repos', { name: 'tool', auto_init: true })
  })
  afterEach(() => world.stage.closeTabs())
  after(() => world.stage?.close())

  testWriting(world)
  testOwnWork(world)

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(world.stage.complaints(), [])
  })
})
