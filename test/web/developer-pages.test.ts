/** A developer's day in a real browser: a change on a protected branch, its pull, tasks, hooks, and what else a day needs. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { lacksBrowser } from '../support/browser.ts'
import { type CodeStage, openCodeStage } from './code-stage.ts'
import { testBeginnings } from './developer/beginnings.ts'
import { testConflicts } from './developer/conflicts.ts'
import { testConnections } from './developer/connections.ts'
import { testMany } from './developer/many.ts'
import { testOrganisations } from './developer/organisations.ts'
import { testProposals } from './developer/proposals.ts'
import { testSmallThings } from './developer/small-things.ts'
import { testTasks } from './developer/tasks.ts'

export type DeveloperWorld = { stage: CodeStage }

describe('a developer’s pages in a browser', { skip: lacksBrowser }, () => {
  const world = {} as DeveloperWorld
  before(async () => {
    world.stage = await openCodeStage({ GUILDHALL_ORGANIZATIONS: 'everyone' })
  })
  afterEach(() => world.stage.closeTabs())
  after(() => world.stage?.close())

  testProposals(world)
  testTasks(world)
  testConnections(world)
  testConflicts(world)
  testSmallThings(world)
  testBeginnings(world)
  testMany(world)
  testOrganisations(world)

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(world.stage.complaints(), [])
  })
})
