/** A merged pull is taken back by another one: its branch, its commit, its words, and what can't be reverted. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'

for (const engine of engines)
  describe(`reverting a pull on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let count = 0

    const must = async (answer: Promise<{ status: number; body: Json; text: string }>): Promise<Json> => {
      const { status, body, text } = await answer
      assert.ok(status < 300, text)
      return body
    }
    const put = async (path: string, text: string, branch: string) => {
      const known = await ann.get(`/repos/ann/house/contents/${path}?ref=${encodeURIComponent(branch)}`)
      return must(
        ann.put(`/repos/ann/house/contents/${path}`, {
          ...{ message: `Write ${path}: ${text}`, content: Buffer.from(text).toString('base64'), branch },
          ...(known.status === 200 && { sha: known.body.sha }),
        }),
      )
    }
    const read = async (path: string, ref = 'main'): Promise<string | undefined> => {
      const { status, body } = await ann.get(`/repos/ann/house/contents/${path}?ref=${encodeURIComponent(ref)}`)
      return status === 404 ? undefined : Buffer.from(body.content, 'base64').toString()
    }
    /** A pull whose branch writes these files, a commit each. */
    async function openPull(files: Readonly<Record<string, string>>): Promise<Json> {
      const branch = `work-${++count}`
      const { object } = await must(ann.get('/repos/ann/house/git/ref/heads/main'))
      await must(ann.post('/repos/ann/house/git/refs', { ref: `refs/heads/${branch}`, sha: object.sha }))
      for (const [path, text] of Object.entries(files)) await put(path, text, branch)
      return must(ann.post('/repos/ann/house/pulls', { title: `Change ${branch}`, head: branch, base: 'main' }))
    }
    const merge = ({ number }: Json, merge_method = 'merge') =>
      must(ann.put(`/repos/ann/house/pulls/${number}/merge`, { merge_method }))
    async function revert(pull: Json, more: object = {}, client = ann): Promise<Json> {
      const query = `mutation($input: RevertPullRequestInput!) { revertPullRequest(input: $input) {
        pullRequest { number } revertPullRequest { number title body isDraft headRefName baseRefName } } }`
      const { body } = await client.post('/graphql', {
        query,
        variables: { input: { pullRequestId: pull.node_id, ...more } },
      })
      return body
    }
    const reverted = async (pull: Json, more: object = {}): Promise<Json> => {
      const { data, errors } = await revert(pull, more)
      assert.equal(errors, undefined)
      assert.equal(data.revertPullRequest.pullRequest.number, pull.number)
      return data.revertPullRequest.revertPullRequest
    }
    const refusal = async (pull: Json, client = ann): Promise<string> =>
      (await revert(pull, {}, client)).errors[0].message

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await must(ann.post('/user/repos', { name: 'house', auto_init: true }))
      await put('roof', 'old', 'main')
    })
    after(() => server.stop())

    for (const method of ['merge', 'squash', 'rebase'])
      test(`what came by ${method} goes, and what came after it stays`, async () => {
        const before = await read('roof')
        const pull = await openPull({ roof: `${method}: new`, [`door-${method}`]: 'oak' })
        await merge(pull, method)
        await put(`later-${method}`, 'stays', 'main')
        const back = await reverted(pull)
        assert.deepEqual(back, {
          number: back.number,
          title: `Revert "${pull.title}"`,
          body: `Reverts ann/house#${pull.number}`,
          isDraft: false,
          headRefName: `revert-${pull.number}-${pull.head.ref}`,
          baseRefName: 'main',
        })
        const { body: commits } = await ann.get(`/repos/ann/house/pulls/${back.number}/commits`)
        assert.equal(commits.length, 1)
        assert.match(commits[0].commit.message, new RegExp(`^Revert "${pull.title}"\n\nThis reverts pull request #`))
        assert.equal(commits[0].author.login, 'ann')
        await merge(back)
        assert.deepEqual(
          [await read('roof'), await read(`door-${method}`), await read(`later-${method}`)],
          [before, undefined, 'stays'],
        )
        const { body: timeline } = await ann.get(`/repos/ann/house/issues/${pull.number}/timeline`)
        assert.ok(timeline.some(({ event }: Json) => event === 'cross-referenced'))
        assert.match(await refusal(pull), /none of its changes any more/)
      })

    test('words, draft and another branch of that name', async () => {
      const pull = await openPull({ lamp: 'lit' })
      await merge(pull)
      const first = await reverted(pull, { title: 'Dark again', body: 'Why', draft: true })
      assert.deepEqual([first.title, first.body, first.isDraft], ['Dark again', 'Why', true])
      const second = await reverted(pull)
      assert.equal(second.headRefName, `${first.headRefName}-1`)
    })

    test('one that is open, one whose lines have changed since, and one without rights are refused', async () => {
      const pull = await openPull({ wall: 'white' })
      assert.equal(await refusal(pull), 'Only a merged pull request can be reverted.')
      await merge(pull)
      await put('wall', 'green', 'main')
      assert.match(await refusal(pull), /without a conflict/)
      assert.match(await refusal(pull, bob), /./)
      const { body: refs } = await ann.get(`/repos/ann/house/git/matching-refs/heads/revert-${pull.number}`)
      assert.deepEqual(refs, [])
    })
  })
