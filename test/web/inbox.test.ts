/** The inbox, the search box, the home and one's own pages in a real browser. */

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { lacksBrowser } from '../support/browser.ts'
import { testInbox } from './flows/inbox.ts'
import { testSearch } from './flows/search.ts'
import { makeMine } from './mine.ts'

describe('the inbox and one’s own pages in a browser', { skip: lacksBrowser }, () => {
  const mine = makeMine()
  before(() => mine.open())
  afterEach(() => mine.stage?.closeTabs())
  after(() => mine.stage?.close())

  testInbox(mine)
  testSearch(mine)

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(mine.stage.complaints(), [])
  })
})
