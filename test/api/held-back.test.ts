/** A client that holds back the end of its request, or waits within a batch, has the rights of the moment it goes on. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { engines } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

for (const engine of engines) {
  describe(`what is held back on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let server: TestServer
    let root: RestClient
    let ann: RestClient

    before(async () => {
      server = await startServer(engine)
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
    })
    after(() => server.stop())

    /** Sends all but the end; answers how to send that and hear the status. The server has begun with it by then. */
    async function holdBack(
      client: RestClient,
      method: string,
      path: string,
      body: object,
    ): Promise<() => Promise<number>> {
      const text = JSON.stringify(body)
      const headers = {
        authorization: `Bearer ${client.token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        expect: '100-continue',
      }
      const sent: ClientRequest = httpRequest(server.url + path, { method, headers })
      sent.flushHeaders()
      await once(sent, 'continue')
      sent.write(text.slice(0, -1))
      // Another request goes the whole way meanwhile.
      await client.get('/user')
      return async () => {
        const answered = once(sent, 'response')
        sent.end(text.slice(-1))
        const [answer] = (await answered) as [IncomingMessage]
        answer.resume()
        return answer.statusCode!
      }
    }

    test('a collaborator who was removed meanwhile changes nothing', async () => {
      const bob = await makeUser(server, 'bob')
      await ann.post('/user/repos', { name: 'secret', private: true })
      const { body } = await ann.put('/repos/ann/secret/collaborators/bob', { permission: 'admin' })
      await bob.ask('PATCH', `/user/repository_invitations/${body.id}`)
      const finish = await holdBack(bob, 'PATCH', '/repos/ann/secret', { private: false })
      await ann.delete('/repos/ann/secret/collaborators/bob')
      assert.equal(await finish(), 404)
      assert.equal((await ann.get('/repos/ann/secret')).body.private, true)
    })

    rule('an admin who was suspended meanwhile makes no token', async () => {
      const eve = await server.services.accounts.insert({ name: 'eve', displayName: 'Eve', role: 'admin' })
      const { text } = await server.services.tokens.make(eve, { kind: 'classic', scopes: ['site_admin', 'repo'] })
      const client = makeRest(server.url, text)
      const finish = await holdBack(client, 'POST', `/admin/users/${admin.name}/tokens`, {
        kind: 'classic',
        scopes: [],
      })
      await root.put('/users/eve/suspended')
      assert.equal(await finish(), 403)
    })

    rule('a token that was revoked meanwhile pushes no items', async () => {
      const draft = { kind: 'classic', scopes: ['dataset', 'user'] }
      const { body: made } = await root.post('/admin/users/ann/tokens', draft)
      const client = makeRest(server.url, made.token)
      await client.post('/v2/datasets?name=kept')
      const finish = await holdBack(client, 'POST', '/v2/datasets/~kept/items', { n: 1 })
      await root.delete(`/admin/tokens/${made.id}`)
      assert.equal(await finish(), 401)
      const other = makeRest(server.url, await makeToken(server, 'ann', draft))
      assert.deepEqual((await other.get('/v2/datasets/~kept/items')).body, [])
    })

    test('a batch whose first call waits is carried on with the role of that moment', async () => {
      const mal = await server.services.accounts.insert({ name: 'mal', displayName: 'Mal', role: 'admin' })
      const { text } = await server.services.tokens.make(mal, { kind: 'classic', scopes: ['judge'] })
      const chief = makeRpcClient(server.url, admin.token)
      const limits = { TimeLimitInMillisecond: 1_000, MemoryLimitInByte: 64 * 1024 * 1024, ExampleList: [] }
      const { Problem } = await chief.call('create_problem', { DisplayName: 'Sum', Description: '', ...limits })
      const handed = await chief.call('create_submission', { ProblemUUID: Problem.UUID, Language: 'x', Content: 'x' })
      const { ID } = handed.SubmissionSnippet
      const entry = (method: string, params: object) => ({ jsonrpc: '2.0', id: crypto.randomUUID(), method, params })
      const batch = fetch(server.url, {
        method: 'POST',
        headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
        body: JSON.stringify([
          entry('wait_for_submission', { ID, WaitMillisecond: 20_000 }),
          entry('update_account', { ID: mal.id, Role: 'admin' }),
          entry('get_account_list', { Offset: 0, Limit: 1 }),
        ]),
      })
      while (server.services.judge.longPolls.countWaiting() === 0) await new Promise(setImmediate)
      await chief.call('update_account', { ID: mal.id, Role: 'contestant' })
      await chief.call('get_and_update_first_submitted_submission_to_executing', {})
      await chief.call('update_submission', { ID, Status: 3, Result: 1 })
      const answers = (await (await batch).json()) as { error?: { code: number } }[]
      assert.deepEqual(
        answers.map(({ error }) => error?.code),
        [undefined, 8, 8],
      )
    })

    test('a worker who lost the role while waiting gets nothing, and what was claimed waits on', async () => {
      const wim = await server.services.accounts.insert({ name: 'wim', displayName: 'Wim', role: 'worker' })
      const { text } = await server.services.tokens.make(wim, { kind: 'classic', scopes: ['judge'] })
      const chief = makeRpcClient(server.url, admin.token)
      const claim = 'get_and_update_first_submitted_submission_to_executing'
      const waiting = makeRpcClient(server.url, text).code(claim, { WaitMillisecond: 20_000 })
      while (server.services.judge.longPolls.countWaiting() === 0) await new Promise(setImmediate)
      await chief.call('update_account', { ID: wim.id, Role: 'contestant' })
      const limits = { TimeLimitInMillisecond: 1_000, MemoryLimitInByte: 64 * 1024 * 1024, ExampleList: [] }
      const { Problem } = await chief.call('create_problem', { DisplayName: 'Sum', Description: '', ...limits })
      const handed = await chief.call('create_submission', { ProblemUUID: Problem.UUID, Language: 'x', Content: 'x' })
      assert.equal(await waiting, 8)
      const { Submission } = await chief.call(claim, {})
      assert.equal(Submission.ID, handed.SubmissionSnippet.ID)
    })
  })
}
