/** The pages of repositories and code in a real browser. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { lacksBrowser } from '../support/browser.ts'
import { type CodeStage, openCodeStage } from './code-stage.ts'
import { testChanges } from './flows/changes.ts'
import { testCodeLooks } from './flows/code-looks.ts'
import { testCodeSettings } from './flows/code-settings.ts'
import { testFiles } from './flows/files.ts'
import { testHistory } from './flows/history.ts'
import { testImports } from './flows/imports.ts'
import { testOwnLooks } from './flows/own-looks.ts'
import { testOwnPages } from './flows/own-pages.ts'
import { testRepositoryHome } from './flows/repository-home.ts'
import { testRoundTrips } from './flows/round-trips.ts'
import { testUploads } from './flows/uploads.ts'

export type CodeWorld = { stage: CodeStage }

describe('the pages of code in a browser', { skip: lacksBrowser }, () => {
  const world = {} as CodeWorld
  before(async () => {
    world.stage = await openCodeStage()
  })
  afterEach(() => world.stage.closeTabs())
  after(() => world.stage?.close())

  testChanges(world)
  testFiles(world)
  testUploads(world)
  testHistory(world)
  testCodeSettings(world)
  testImports(world)
  testRepositoryHome(world)
  testOwnPages(world)
  testOwnLooks(world)
  testRoundTrips(world)
  testCodeLooks(world)

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(world.stage.complaints(), [])
  })
})
