/** Texts that are left out of a page of rows and read after it: they are whole wherever they are shown, and edits know them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { currentRequest, enterRequest } from '../../src/lib/request-context.ts'
import { readLongTexts } from '../../src/store/long-texts.ts'
import { engines } from '../support/engines.ts'
import { makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

const long = (name: string) => `${name} ${'ä😀"'.repeat(5_000)}`

for (const engine of engines)
  describe(`long texts, ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    before(async () => {
      server = await startServer(engine)
      ann = await makeUser(server, 'ann')
      await ann.post('/user/repos', { name: 'tool' })
      const file = { message: 'Begin', content: Buffer.from('# A tool').toString('base64') }
      const { status } = await ann.put('/repos/ann/tool/contents/README.md', file)
      assert.equal(status, 201)
    })
    after(() => server?.stop())

    const make = async (path: string, body: object) => {
      const made = await ann.post(`/repos/ann/tool${path}`, body)
      assert.equal(made.status, 201, made.text)
      return made.body
    }
    const get = async (path: string) => {
      const { status, body, text } = await ann.get(`/repos/ann/tool${path}`)
      assert.equal(status, 200, text)
      return body
    }

    test('are whole in what was made, in each object and in lists, beside short ones', async () => {
      const milestone = await make('/milestones', { title: 'One', description: long('milestone') })
      const issue = await make('/issues', { title: 'Long', body: long('issue'), milestone: milestone.number })
      await make('/issues', { title: 'Short', body: 'short', milestone: milestone.number })
      await make('/issues', { title: 'None' })
      const comment = await make(`/issues/${issue.number}/comments`, { body: long('comment') })
      await make(`/issues/${issue.number}/comments`, { body: 'short' })
      const onCommit = await make(`/commits/${(await get('/commits'))[0].sha}/comments`, { body: long('on commit') })
      const release = await make('/releases', { tag_name: 'v1', body: long('release') })
      assert.deepEqual(
        [milestone.description, issue.body, issue.milestone.description, comment.body, onCommit.body, release.body],
        ['milestone', 'issue', 'milestone', 'comment', 'on commit', 'release'].map(long),
      )
      const listed = await get('/issues?direction=asc')
      const shown = listed.map((one: typeof issue) => [one.body, one.milestone?.description])
      assert.deepEqual(shown, [
        [long('issue'), long('milestone')],
        ['short', long('milestone')],
        [null, undefined],
      ])
      const pairs = [
        [`/issues/${issue.number}`, issue.body],
        [`/issues/comments/${comment.id}`, comment.body],
        [`/comments/${onCommit.id}`, onCommit.body],
        [`/releases/${release.id}`, release.body],
        ['/releases/latest', release.body],
        ['/releases/tags/v1', release.body],
      ]
      for (const [path, text] of pairs) assert.equal((await get(path)).body, text, path)
      const bodies = async (path: string) => (await get(path)).map(({ body }: { body: string }) => body)
      assert.deepEqual(await bodies(`/issues/${issue.number}/comments`), [long('comment'), 'short'])
      assert.deepEqual(await bodies('/comments'), [long('on commit')])
      assert.deepEqual(await bodies('/releases'), [long('release')])
      for (const found of [(await get('/milestones'))[0], await get(`/milestones/${milestone.number}`)])
        assert.equal(found.description, long('milestone'))
    })

    test('stay where something else is changed', async () => {
      const milestone = await make('/milestones', { title: 'Two', description: long('kept') })
      const release = await make('/releases', { tag_name: 'v2', body: long('kept') })
      const renamed = await ann.patch(`/repos/ann/tool/milestones/${milestone.number}`, { title: 'Second' })
      assert.deepEqual([renamed.status, renamed.body.description], [200, long('kept')])
      const named = await ann.patch(`/repos/ann/tool/releases/${release.id}`, { name: 'Second' })
      assert.deepEqual([named.status, named.body.body], [200, long('kept')])
    })

    test('are waited with for room in memory where there are several, and never within a write', async () => {
      const ids = [await make('/issues', { title: 'A', body: 'a' }), await make('/issues', { title: 'B', body: 'b' })]
      const asked: number[] = []
      enterRequest('of a test', undefined as never)
      currentRequest()!.takeRoom = async (bytes) => void asked.push(bytes)
      const rows = ids.map(({ id }) => ({ id, text_bytes: 20_000, body: null }))
      await server.services.store.write((trx) => readLongTexts(trx, 'issue', rows.slice(0, 1)))
      assert.deepEqual([rows[0]!.body, asked], ['a', []])
      await readLongTexts(
        server.services.store.db,
        'issue',
        rows.map((row) => ({ ...row, text_bytes: 20_000 })),
      )
      assert.deepEqual(asked, [40_000])
    })
  })
