/** Which pulls close which issues, and which issues are pinned, as clients ask for them before anything is merged. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'

for (const engine of engines)
  describe(`closing references on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let files = 0

    const must = async (answer: Promise<{ status: number; body: Json; text: string }>): Promise<Json> => {
      const { status, body, text } = await answer
      assert.ok(status < 300, text)
      return body
    }
    const open = (title: string) => must(ann.post('/repos/ann/house/issues', { title }))
    /** On a branch of its own. */
    async function openPull(body: string, base = 'main'): Promise<Json> {
      const name = `work-${++files}`
      const { object } = await must(ann.get(`/repos/ann/house/git/ref/heads/${base}`))
      await must(ann.post('/repos/ann/house/git/refs', { ref: `refs/heads/${name}`, sha: object.sha }))
      const content = Buffer.from(name).toString('base64')
      await must(ann.put(`/repos/ann/house/contents/${name}`, { message: name, content, branch: name }))
      return must(ann.post('/repos/ann/house/pulls', { title: name, head: name, base, body }))
    }
    async function ask(field: string, client = ann): Promise<Json> {
      const query = `{ repository(owner: "ann", name: "house") { ${field} } }`
      const { data, errors } = (await client.post('/graphql', { query })).body
      assert.equal(errors, undefined)
      return data.repository
    }
    const numbers = ({ nodes }: Json) => nodes.map(({ number }: Json) => number)
    const closers = async (issue: number, args = 'first: 10') =>
      numbers(
        (await ask(`issue(number: ${issue}) { closedByPullRequestsReferences(${args}) { nodes { number } } }`)).issue
          .closedByPullRequestsReferences,
      )
    const closed = async (pull: number, args = 'first: 10') =>
      numbers(
        (await ask(`pullRequest(number: ${pull}) { closingIssuesReferences(${args}) { nodes { number } } }`))
          .pullRequest.closingIssuesReferences,
      )

    before(async () => {
      server = await startServer(engine, {
        environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_BASE_URL: 'https://guild.example.org' },
      })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await must(ann.post('/user/repos', { name: 'house', auto_init: true }))
      await must(ann.post('/user/repos', { name: 'shed', auto_init: true }))
      const { object } = await must(ann.get('/repos/ann/house/git/ref/heads/main'))
      await must(ann.post('/repos/ann/house/git/refs', { ref: 'refs/heads/next', sha: object.sha }))
    })
    after(() => server.stop())

    test('a pull closes the issues that its text says it fixes, and no others', async () => {
      const lamp = await open('The lamp')
      const door = await open('The door')
      const roof = await open('The roof')
      const { number } = await openPull(
        `Fixes #${lamp.number}, closes ann/HOUSE#${door.number}, see #${roof.number}, fixes ann/shed#${roof.number}, fixes #9999`,
      )
      assert.deepEqual(await closed(number), [lamp.number, door.number])
      assert.deepEqual(await closed(number, 'first: 1, orderBy: {field: CREATED_AT, direction: DESC}'), [door.number])
      assert.deepEqual(await closers(lamp.number), [number])
      assert.deepEqual(await closers(roof.number), [])
      await must(ann.patch(`/repos/ann/house/pulls/${number}`, { body: 'Nothing' }))
      assert.deepEqual([await closed(number), await closers(lamp.number)], [[], []])
    })

    test('an address of this server counts as well, and a text within code does not', async () => {
      const lamp = await open('Another lamp')
      const { number } = await openPull(`Fixes https://guild.example.org/ann/house/issues/${lamp.number}`)
      await openPull(`\`fixes #${lamp.number}\``)
      assert.deepEqual(await closers(lamp.number), [number])
    })

    test('the text of a pull into another branch than the default one closes nothing', async () => {
      const lamp = await open('A lamp for later')
      const { number } = await openPull(`Fixes #${lamp.number}`, 'next')
      assert.deepEqual([await closed(number), await closers(lamp.number)], [[], []])
    })

    test('merged pulls stay listed, closed ones are listed where one asks for them', async () => {
      const lamp = await open('A lamp with a history')
      const given = await openPull(`Fixes #${lamp.number}`)
      const merged = await openPull(`Fixes #${lamp.number}`)
      await must(ann.patch(`/repos/ann/house/pulls/${given.number}`, { state: 'closed' }))
      await must(ann.put(`/repos/ann/house/pulls/${merged.number}/merge`, {}))
      const pending = await openPull(`Fixes #${lamp.number}`)
      assert.deepEqual(await closers(lamp.number), [merged.number, pending.number])
      const all = 'first: 10, includeClosedPrs: true, orderByState: true'
      assert.deepEqual(await closers(lamp.number, all), [pending.number, merged.number, given.number])
    })

    test('what people connected by hand is listed, alone where one asks for that', async () => {
      const lamp = await open('A connected lamp')
      const [written, connected] = [await openPull(`Fixes #${lamp.number}`), await openPull('')]
      await must(ann.put(`/repos/ann/house/issues/${lamp.number}/connections/${connected.number}`))
      assert.deepEqual(await closers(lamp.number), [written.number, connected.number])
      assert.deepEqual(await closers(lamp.number, 'first: 10, userLinkedOnly: true'), [connected.number])
      assert.deepEqual(await closed(connected.number, 'first: 10, userLinkedOnly: true'), [lamp.number])
      assert.deepEqual(await closed(written.number, 'first: 10, userLinkedOnly: true'), [])
    })

    test('a token reads of a private repository only the kind that it may', async () => {
      const lamp = await open('A private lamp')
      const { number } = await openPull(`Fixes #${lamp.number}`)
      await must(ann.patch('/repos/ann/house', { private: true }))
      const query = `{ repository(owner: "ann", name: "house") {
        pullRequest(number: ${number}) { closingIssuesReferences(first: 1) { totalCount } } } }`
      assert.equal((await bob.post('/graphql', { query })).body.data.repository, null)
      await must(ann.patch('/repos/ann/house', { private: false }))
    })

    test('pinned issues are listed in the order in which they were pinned', async () => {
      const [one, two] = [await open('One'), await open('Two')]
      for (const { node_id: issueId } of [two, one]) {
        const query = 'mutation($input: PinIssueInput!) { pinIssue(input: $input) { issue { number } } }'
        assert.equal((await ann.post('/graphql', { query, variables: { input: { issueId } } })).body.errors, undefined)
      }
      const { pinnedIssues } = await ask(
        'pinnedIssues(first: 3) { totalCount nodes { issue { title isPinned } } }',
        bob,
      )
      assert.deepEqual(pinnedIssues, {
        totalCount: 2,
        nodes: ['Two', 'One'].map((title) => ({ issue: { title, isPinned: true } })),
      })
    })
  })
