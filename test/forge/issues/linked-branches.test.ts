/** Branches that are made for an issue: by whom, how they are named and shown, and what becomes of them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'

for (const engine of engines)
  describe(`linked branches on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let sha: string

    const must = async (answer: Promise<{ status: number; body: Json; text: string }>): Promise<Json> => {
      const { status, body, text } = await answer
      assert.ok(status < 300, text)
      return body
    }
    const ask = async (client: RestClient, query: string, variables: object = {}): Promise<Json> =>
      (await client.post('/graphql', { query, variables })).body
    const link = (client: RestClient, input: object): Promise<Json> =>
      ask(
        client,
        `mutation CreateLinkedBranch($input: CreateLinkedBranchInput!) {
          createLinkedBranch(input: $input) { issue { number } linkedBranch { id ref { name } } } }`,
        { input: { oid: sha, ...input } },
      )
    const made = async (client: RestClient, input: object): Promise<Json> => {
      const { data, errors } = await link(client, input)
      assert.deepEqual(errors, undefined)
      return data.createLinkedBranch.linkedBranch
    }
    const listed = async (client: RestClient, number: number, name = 'house'): Promise<Json> => {
      const { data } = await ask(
        client,
        `query BranchIssueReferenceListLinkedBranches($n: Int!, $name: String!) {
          repository(owner: "ann", name: $name) { issue(number: $n) { linkedBranches(first: 30) {
            totalCount edges { node { ref { name repository { url } } } } } } } }`,
        { n: number, name },
      )
      const { totalCount, edges } = data.repository.issue.linkedBranches
      assert.equal(totalCount, edges.length)
      return edges.map(({ node }: Json) => node.ref?.name)
    }
    const open = (title: string, repo = 'house') => must(ann.post(`/repos/ann/${repo}/issues`, { title }))

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      for (const name of ['house', 'shed']) await must(ann.post('/user/repos', { name, auto_init: true }))
      await must(ann.post('/user/repos', { name: 'cellar', private: true, auto_init: true }))
      sha = (await must(ann.get('/repos/ann/house/commits/main'))).sha
    })
    after(() => server.stop())

    test('a branch is made at the commit, and listed with the issue', async () => {
      const issue = await open('Roof')
      const { ref } = await made(ann, { issueId: issue.node_id, name: 'mend-the-roof' })
      assert.equal(ref.name, 'mend-the-roof')
      assert.equal((await must(ann.get('/repos/ann/house/git/ref/heads/mend-the-roof'))).object.sha, sha)
      assert.deepEqual(await listed(bob, issue.number), ['mend-the-roof'])
    })

    test('without a name it is named after the issue, and never one that exists', async () => {
      const issue = await open('  It rains: INSIDE, über all!  ')
      const name = `${issue.number}-it-rains-inside-über-all`
      assert.equal((await made(ann, { issueId: issue.node_id })).ref.name, name)
      assert.equal((await made(ann, { issueId: issue.node_id, name: '' })).ref.name, `${name}-1`)
      const plain = await open('!?')
      assert.equal((await made(ann, { issueId: plain.node_id })).ref.name, String(plain.number))
      const { errors } = await link(ann, { issueId: plain.node_id, name: 'main' })
      assert.deepEqual([errors[0].type, errors[0].message], ['UNPROCESSABLE', 'Reference already exists'])
      assert.deepEqual(await listed(ann, plain.number), [String(plain.number)])
    })

    test('a pull has none, and an issue has a hundred at most', async () => {
      const issue = await open('Many')
      const pull = await must(
        ann
          .put('/repos/ann/house/contents/many.txt', { message: 'Many', content: 'YQ==', branch: 'mend-the-roof' })
          .then(() => ann.post('/repos/ann/house/pulls', { title: 'P', head: 'mend-the-roof', base: 'main' })),
      )
      assert.equal((await link(ann, { issueId: pull.node_id })).errors[0].type, 'NOT_FOUND')
      const names = Array.from({ length: 100 }, (_, i) => `many/${i}`)
      for (const name of names) await made(ann, { issueId: issue.node_id, name })
      assert.match((await link(ann, { issueId: issue.node_id, name: 'many/100' })).errors[0].message, /100 branches/)
    })

    test('a deleted branch is forgotten, a renamed one keeps its link, and one that is unlinked stays', async () => {
      const issue = await open('Gone')
      for (const name of ['to-delete', 'to-rename', 'to-push', 'to-unlink'])
        await made(ann, { issueId: issue.node_id, name })
      await must(ann.delete('/repos/ann/house/git/refs/heads/to-delete'))
      await must(ann.post('/repos/ann/house/branches/to-rename/rename', { new_name: 'renamed' }))
      const work = await makeWorkingFolder()
      try {
        const url = remoteUrl(server.url, 'ann/house', 'ann', ann.token!)
        await work.must('push', '--quiet', url, ':refs/heads/to-push')
      } finally {
        await work.drop()
      }
      assert.deepEqual(await listed(ann, issue.number), ['renamed', 'to-unlink'])
      const again = { ref: 'refs/heads/to-delete', sha }
      await must(ann.post('/repos/ann/house/git/refs', again))
      assert.deepEqual(await listed(ann, issue.number), ['renamed', 'to-unlink'])

      const { data } = await ask(
        ann,
        `{ repository(owner: "ann", name: "house") { issue(number: ${issue.number}) {
          linkedBranches(last: 1) { nodes { id } } } } }`,
      )
      const input = { linkedBranchId: data.repository.issue.linkedBranches.nodes[0].id }
      const unlink = (client: RestClient) =>
        ask(
          client,
          'mutation($input: DeleteLinkedBranchInput!) { deleteLinkedBranch(input: $input) { issue { number } } }',
          { input },
        )
      assert.equal((await unlink(bob)).errors[0].type, 'FORBIDDEN')
      assert.deepEqual((await unlink(ann)).data.deleteLinkedBranch, { issue: { number: issue.number } })
      assert.equal((await unlink(ann)).errors[0].type, 'NOT_FOUND')
      assert.deepEqual(await listed(ann, issue.number), ['renamed'])
      assert.equal((await ann.get('/repos/ann/house/git/ref/heads/to-unlink')).status, 200)
    })

    test('a pull opened from the branch closes the issue when it is merged', async () => {
      const issue = await open('Leak')
      await made(ann, { issueId: issue.node_id, name: 'stop-the-leak' })
      const file = { message: 'Stop', content: 'YQ==', branch: 'stop-the-leak' }
      await must(ann.put('/repos/ann/house/contents/leak.txt', file))
      const draft = { title: 'Stop the leak', head: 'stop-the-leak', base: 'main' }
      const pull = await must(ann.post('/repos/ann/house/pulls', draft))
      for (const { number } of [issue, pull]) {
        const timeline = await must(ann.get(`/repos/ann/house/issues/${number}/timeline`))
        assert.ok(
          timeline.some(({ event }: Json) => event === 'connected'),
          JSON.stringify(timeline),
        )
      }
      await must(ann.put(`/repos/ann/house/pulls/${pull.number}/merge`))
      assert.equal((await must(ann.get(`/repos/ann/house/issues/${issue.number}`))).state, 'closed')
    })

    test('a branch of another repository needs rights to both, and is shown to those who may see it', async () => {
      const issue = await open('Elsewhere')
      const shed = await must(ann.get('/repos/ann/shed'))
      const cellar = await must(ann.get('/repos/ann/cellar'))
      const oid = async (name: string) => (await must(ann.get(`/repos/ann/${name}/commits/main`))).sha
      const inShed = { issueId: issue.node_id, repositoryId: shed.node_id, oid: await oid('shed'), name: 'shed' }
      const inCellar = { issueId: issue.node_id, repositoryId: cellar.node_id, oid: await oid('cellar'), name: 'low' }
      await asAdmin(server).put('/repos/ann/shed/collaborators/bob', { permission: 'push' })
      for (const { id } of (await bob.get('/user/repository_invitations')).body)
        await must(bob.patch(`/user/repository_invitations/${id}`))
      assert.equal((await link(bob, inShed)).errors[0].type, 'FORBIDDEN')
      assert.equal((await link(bob, inCellar)).errors[0].type, 'FORBIDDEN')
      await made(ann, inShed)
      await made(ann, inCellar)
      assert.deepEqual(await listed(ann, issue.number), ['shed', 'low'])
      assert.deepEqual(await listed(bob, issue.number), ['shed'])
    })

    test('an issue that is hidden is as unknown as one that is not there', async () => {
      const hidden = await open('Secret', 'cellar')
      const { errors } = await link(bob, { issueId: hidden.node_id })
      assert.equal(errors[0].type, 'NOT_FOUND')
    })
  })
