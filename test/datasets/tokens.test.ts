/** What a token may do with its owner's data sets, and which tokens are refused. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../src/lib/clock.ts'
import { engines } from '../support/engines.ts'
import { makeToken } from '../support/rest.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Api, type Json, makeApi, makeOther } from './api.ts'

for (const engine of engines) {
  describe(`tokens for data sets on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    const clock = makeManualClock(Date.now())
    let server: TestServer
    let owner: Api
    const nobody = () => makeApi(server, null)
    before(async () => {
      server = await startServer(engine, { clock })
      owner = await makeOther(server, 'owner')
    })
    after(() => server.stop())

    const tokenOf = async (draft: object) => makeApi(server, await makeToken(server, 'owner', draft))
    const refused = [403, 'insufficient-permissions']
    const seen = ({ status, body }: { status: number; body: { error?: { type: string } } | null }) =>
      body?.error ? [status, body.error.type] : [status]

    /** What comes of reading and of writing what is the owner's alone. */
    async function rightsOf(api: Api, id: string) {
      const reads = [
        await api.ask('GET', '/datasets?unnamed=1'),
        await api.ask('GET', `/datasets/${id}`),
        await api.ask('GET', `/datasets/${id}/items`),
        await api.ask('GET', `/datasets/${id}/statistics`),
        await api.ask('GET', '/users/me'),
      ].map(seen)
      const writes = [
        await api.ask('POST', '/datasets?name=made'),
        await api.ask('PUT', `/datasets/${id}`, { title: 'T' }),
        await api.ask('POST', `/datasets/${id}/items`, { a: 1 }),
      ].map(seen)
      return { reads, writes }
    }

    test('a scope or a permission for data sets is asked of every token', async () => {
      const id = await owner.make('kept')
      await owner.ask('POST', '/datasets?name=made')
      const all = { reads: [[200], [200], [200], [200], [200]], writes: [[200], [200], [201]] }
      const reading = { ...all, writes: [refused, refused, refused] }
      const none = { reads: [refused, refused, refused, refused, refused], writes: reading.writes }
      const everything = { contents: 'write', administration: 'write', members: 'write' }
      const one = { permissions: { datasets: 'write' }, repositories: [] as string[] }
      for (const [draft, expected] of [
        [{ kind: 'classic', scopes: ['dataset'] }, all],
        [{ kind: 'oauth', scopes: ['dataset'] }, all],
        [{ kind: 'classic', scopes: ['dataset:read'] }, reading],
        [{ kind: 'classic', scopes: ['repo', 'user', 'admin:org', 'judge', 'delete_repo'] }, none],
        [{ kind: 'classic', scopes: [] }, none],
        [{ kind: 'fine-grained', permissions: { datasets: 'write' } }, all],
        [{ kind: 'app-user', permissions: { datasets: 'write' } }, all],
        [{ kind: 'fine-grained', permissions: { datasets: 'read' } }, reading],
        [{ kind: 'fine-grained', permissions: everything, repositories: 'all' }, none],
        [{ kind: 'installation', ...one }, none],
      ] as const)
        assert.deepEqual(await rightsOf(await tokenOf(draft), id), expected, JSON.stringify(draft))
      const lacking = await tokenOf({ kind: 'classic', scopes: ['dataset:read'] })
      const { body } = await lacking.ask('DELETE', `/datasets/${id}`)
      assert.match(
        body.error.message,
        /^Insufficient permissions for the dataset\. .*: the token lacks the scope dataset\.$/,
      )
      const fine = await tokenOf({ kind: 'fine-grained', permissions: {} })
      assert.match((await fine.ask('GET', `/datasets/${id}`)).body.error.message, /permission datasets=read\.$/)
      assert.equal((await owner.ask('GET', `/datasets/${id}`)).status, 200)
    })

    rule('a token without them reads what anyone may, and is shown no more than anyone', async () => {
      const id = await owner.make('shared')
      await owner.push(id, { a: 1 })
      await owner.ask('PUT', `/datasets/${id}`, { generalAccess: 'ANYONE_WITH_NAME_CAN_READ' })
      const plain = await tokenOf({ kind: 'classic', scopes: [] })
      assert.equal(await plain.text(id), '[{"a":1}]')
      assert.equal(await plain.text('~shared'), '[{"a":1}]')
      const keysOf = async (api: Api) => Object.keys((await api.ask('GET', `/datasets/${id}`)).body.data)
      assert.deepEqual(await keysOf(plain), await keysOf(nobody()))
      const reading = await tokenOf({ kind: 'classic', scopes: ['dataset:read'] })
      assert.ok((await keysOf(reading)).includes('itemsPublicUrl'))
      assert.ok(!(await keysOf(reading)).includes('urlSigningSecretKey'))
      assert.ok((await keysOf(owner)).includes('urlSigningSecretKey'))
      const self = (await owner.ask('GET', '/users/me')).body.data
      assert.equal((await plain.ask('GET', `/users/${self.id}`)).body.data.role, undefined)
      assert.equal((await owner.ask('GET', `/users/${self.id}`)).body.data.role, 'contestant')
    })

    test('banned, suspended, expired and renewing tokens are refused anywhere', async () => {
      const soon = new Date(clock.now() + 60_000).toISOString()
      const expired = await tokenOf({ kind: 'classic', scopes: ['dataset'], expires_at: soon })
      clock.advance(61_000)
      const banned = await tokenOf({ kind: 'classic', scopes: ['dataset'] })
      const tokens = await server.services.tokens.list((await server.services.accounts.findByName('owner'))!)
      await server.services.forge.tokenAdministration.ban(tokens.at(-1)!.id)
      const other = await makeOther(server, 'paused')
      await fetch(`${server.url}/users/paused/suspended`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${makeApi(server).token}` },
      })
      const account = (await server.services.accounts.findByName('owner'))!
      const renewing = makeApi(server, (await server.services.tokens.make(account, { kind: 'refresh' })).text)
      for (const path of ['/datasets', '/datasets/owner~shared/items', '/nothing']) {
        assert.deepEqual(seen(await expired.ask('GET', path)), [401, 'invalid-token'], path)
        assert.deepEqual(seen(await renewing.ask('GET', path)), [401, 'invalid-token'], path)
        assert.deepEqual(seen(await banned.ask('GET', path)), refused, path)
        assert.deepEqual(seen(await other.ask('GET', path)), refused, path)
        clock.advance(5 * 60_000)
      }
    })

    rule(
      'wrong tokens that a page elsewhere has a browser send lock out such pages, and nobody else behind the address',
      async () => {
        clock.advance(60 * 60_000)
        const askFrom = async (site: string, token: string | null) => {
          const request = get(`${server.url}/v2/users/me?token=${token}`, {
            agent: false,
            headers: { 'sec-fetch-site': site },
          })
          const [response] = (await once(request, 'response')) as [IncomingMessage]
          await json(response)
          return response.statusCode
        }
        assert.equal(await askFrom('cross-site', owner.token), 200, 'CORS is open')
        for (let i = 0; i < 10; i++) assert.equal(await askFrom('cross-site', `x${i}`), 401)
        assert.deepEqual([await askFrom('cross-site', owner.token), await askFrom('cross-site', 'x')], [403, 403])
        assert.deepEqual(
          [await askFrom('same-origin', owner.token), (await owner.ask('GET', '/users/me')).status],
          [200, 200],
        )
        clock.advance(60 * 60_000)
      },
    )

    test('a token in the query is known again on its connection until it is banned, and a header comes before it', async (t) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      t.after(() => agent.destroy())
      const askAs = async (query: string, headers = {}) => {
        const request = get(`${server.url}/v2/users/me${query}`, { agent, headers })
        const [response] = (await once(request, 'response')) as [IncomingMessage]
        return [response.statusCode, ((await json(response)) as Json).data?.username]
      }
      const { token } = await tokenOf({ kind: 'classic', scopes: ['dataset'] })
      const other = await makeOther(server, 'beside')
      for (let i = 0; i < 2; i++) {
        assert.deepEqual(await askAs(`?token=${token}`), [200, 'owner'])
        assert.deepEqual(await askAs(`?token=${other.token}`), [200, 'beside'])
        assert.deepEqual(await askAs(`?token=${token}`, { authorization: `Bearer ${other.token}` }), [200, 'beside'])
        assert.deepEqual(await askAs(''), [401, undefined])
      }
      assert.deepEqual(await askAs(`?token=${token}`), [200, 'owner'])
      const tokens = await server.services.tokens.list((await server.services.accounts.findByName('owner'))!)
      await server.services.forge.tokenAdministration.ban(tokens.at(-1)!.id)
      assert.deepEqual(await askAs(`?token=${token}`), [403, undefined])
    })

    rule('wrong tokens lock their address out, for right ones too, and in every interface', async () => {
      clock.advance(60 * 60_000)
      const wrong = (i: number) => makeApi(server, `gdp_none${i}`).ask('GET', '/datasets')
      for (let i = 0; i < 10; i++) assert.deepEqual(seen(await wrong(i)), [401, 'invalid-token'])
      for (const answer of [await wrong(11), await owner.ask('GET', '/datasets')]) {
        assert.deepEqual(seen(answer), refused)
        assert.match(answer.body.error.message, /^Maximum number of login attempts exceeded/)
        assert.deepEqual(Object.keys(answer.body.error), ['type', 'message'])
      }
      const forge = await fetch(`${server.url}/user`, { headers: { authorization: `Bearer ${owner.token}` } })
      assert.equal(forge.status, 403)
      clock.advance(10 * 60_000 + 1)
      assert.equal((await owner.ask('GET', '/datasets')).status, 200)
    })

    rule('an address that may ask no more with wrong tokens is told how long to wait', async () => {
      clock.advance(60 * 60_000)
      const ask = (i: number) =>
        fetch(`${server.url}/v2/datasets`, { headers: { authorization: `Bearer gdp_none${i}` } })
      let last = await ask(0)
      for (let i = 1; i < 70 && last.status !== 429; i++) last = await ask(i)
      assert.equal(last.status, 429)
      const wait = Number(last.headers.get('retry-after'))
      assert.ok(wait > 60 && wait <= 3600, last.headers.get('retry-after')!)
      clock.advance(60 * 60_000)
    })

    rule('strangers who may not read a data set do not spend what its owner may ask of it', async () => {
      const id = await owner.make('flooded')
      const flood = await Promise.all(
        Array.from({ length: 150 }, () => nobody().ask('GET', `/datasets/${id}/items?signature=AAAA`)),
      )
      assert.deepEqual(new Set(flood.map(({ status }) => status)), new Set([403]))
      for (const path of [`/datasets/${id}`, '/datasets/owner~flooded'])
        assert.equal((await nobody().ask('GET', path)).status, 401)
      assert.equal((await owner.ask('GET', `/datasets/${id}`)).status, 200)
    })
  })
}
