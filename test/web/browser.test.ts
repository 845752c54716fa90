/** The page in a real browser, on a real server with a real executor: what people do with it, with mouse and keyboard. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { lacksBrowser } from '../support/browser.ts'
import { testAccounts } from './flows/accounts.ts'
import { testClass } from './flows/class.ts'
import { testDatasets } from './flows/datasets.ts'
import { testDocuments } from './flows/documents.ts'
import { testHostileInput } from './flows/hostile-input.ts'
import { testJudging } from './flows/judging.ts'
import { testLooks } from './flows/looks.ts'
import { testSetting } from './flows/setting.ts'
import { testSolving } from './flows/solving.ts'
import { openStage } from './stage.ts'
import type { World } from './world.ts'

describe('the page in a browser', { skip: lacksBrowser }, () => {
  const world = {} as World
  before(async () => {
    world.stage = await openStage()
  })
  afterEach(() => world.stage.closeTabs())
  after(() => world.stage?.close())

  testSolving(world)
  testSetting(world)
  testJudging(world)
  testClass(world)
  testAccounts(world)
  testDatasets(world)
  testDocuments(world)
  testHostileInput(world)
  testLooks(world)

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(world.stage.complaints(), [])
  })
})
