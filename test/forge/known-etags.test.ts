/** A poll is answered with 304 without reading anew, but never once what the caller sees or may has changed. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

for (const engine of engines) {
  describe(`polls on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
    })
    after(() => server.stop())

    /** Asks twice with the ETag, so that whatever is remembered is used. */
    async function pollTwice(client: RestClient, path: string, headers: Record<string, string> = {}): Promise<string> {
      const etag = (await client.get(path, headers)).headers.get('etag')!
      for (let times = 0; times < 2; times++) {
        const answer = await client.get(path, { ...headers, 'if-none-match': etag })
        assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', etag])
      }
      return etag
    }

    test('are told at once that a repository is no longer for the caller', async () => {
      await ann.post('/user/repos', { name: 'secret', private: true })
      await ann.put('/repos/ann/secret/collaborators/bob')
      const [invitation] = (await bob.get('/user/repository_invitations')).body
      await bob.patch(`/user/repository_invitations/${invitation.id}`)
      const etag = await pollTwice(bob, '/repos/ann/secret')
      await ann.delete('/repos/ann/secret/collaborators/bob')
      assert.equal((await bob.get('/repos/ann/secret', { 'if-none-match': etag })).status, 404)
    })

    test('are told at once that a token is revoked, or its account suspended', async () => {
      const cy = await makeUser(server, 'cy')
      const etag = await pollTwice(cy, '/user')
      await asAdmin(server).put('/users/cy/suspended')
      assert.equal((await cy.get('/user', { 'if-none-match': etag })).status, 403)
    })

    test('are told at once that something changed', async () => {
      await ann.post('/user/repos', { name: 'open' })
      const etag = await pollTwice(ann, '/repos/ann/open')
      await ann.patch('/repos/ann/open', { description: 'New' })
      const answer = await ann.get('/repos/ann/open', { 'if-none-match': etag })
      assert.deepEqual([answer.status, answer.body.description], [200, 'New'])
    })

    test('of one caller, token, media type or page are not answered with what another was given', async () => {
      await ann.post('/user/repos', { name: 'listed', private: true })
      for (let i = 0; i < 3; i++) await ann.post('/repos/ann/listed/issues', { title: `Issue ${i}` })
      const path = '/repos/ann/listed/issues?per_page=1'
      const etag = await pollTwice(ann, path)
      const known = { 'if-none-match': etag }
      assert.equal((await bob.get(path, known)).status, 404)
      const narrow = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: [] }))
      assert.equal((await narrow.get(path, known)).status, 404)
      assert.equal((await ann.get(`${path}&page=2`, known)).status, 200)
      assert.equal((await ann.get(path, { ...known, accept: 'application/vnd.platform.html+json' })).status, 200)
      const again = await ann.get(path, known)
      assert.match(again.headers.get('link') ?? '', /page=2/)
      assert.equal(again.status, 304)
    })
  })
}
