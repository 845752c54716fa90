/** The pages of issues and pulls in a real browser. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { lacksBrowser } from '../support/browser.ts'
import { type CodeStage, openCodeStage } from './code-stage.ts'
import { testIssues } from './flows/issues.ts'
import { testPulls } from './flows/pulls.ts'
import { testThreadLooks } from './flows/thread-looks.ts'

export type ThreadWorld = { stage: CodeStage }

const code = 'const a = 1\nlet b = 2\nfunction f() {\n  return a\n}\n'

const bugTemplate = `---
name: Bug report
about: Something does not work
title: ''
labels: bug
---
Steps to take:
`

describe('the pages of issues and pulls in a browser', { skip: lacksBrowser }, () => {
  const world = {} as ThreadWorld
  before(async () => {
    world.stage = await openCodeStage()
    const ann = world.stage.as('ann')
    await ann.post('/user/repos', { name: 'tool' })
    const first = { 'a.js': code, 'spaced.txt': 'indented\nother\n', '.github/ISSUE_TEMPLATE/bug.md': bugTemplate }
    const changed = code.replace('  return a', '    return a + b')
    await world.stage.push('ann', 'tool', [
      { message: 'First', files: first },
      { message: 'Change f', branch: 'feature', files: { 'a.js': changed } },
    ])
    const { body: ref } = await ann.get('/repos/ann/tool/git/ref/heads/main')
    await ann.post('/repos/ann/tool/git/refs', { ref: 'refs/heads/indented', sha: ref.object.sha })
    for (const [path, content] of Object.entries({ 'spaced.txt': '  indented\nother\n', 'fresh.txt': 'x\n' })) {
      const { body: old } = await ann.get(`/repos/ann/tool/contents/${path}`)
      await ann.put(`/repos/ann/tool/contents/${path}`, {
        ...{ message: 'Change the indent', branch: 'indented', content: Buffer.from(content).toString('base64') },
        ...(old.sha && { sha: old.sha }),
      })
    }
    await ann.put('/repos/ann/tool/collaborators/bob', { permission: 'push' })
    const { body } = await world.stage.as('bob').get('/user/repository_invitations')
    await world.stage.as('bob').patch(`/user/repository_invitations/${body[0].id}`)
  })
  afterEach(() => world.stage.closeTabs())
  after(() => world.stage?.close())

  testIssues(world)
  testPulls(world)
  testThreadLooks(world)

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(world.stage.complaints(), [])
  })
})
