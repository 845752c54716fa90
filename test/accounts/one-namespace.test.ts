/** One account is a judge account and a forge user, whatever its name: no path of ours stands in its way. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeRpcClient } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer('sqlite')
})
after(() => server.stop())

for (const name of ['repos', 'users', 'api', 'healthz']) {
  test(`an account named ${name} is reached by every interface`, async () => {
    const draft = { AccountName: name, DisplayName: name, Role: 'contestant', Password: 'password' }
    await makeRpcClient(server.url, admin.token).call('create_account', draft)
    const account = (await server.services.accounts.findByName(name))!
    const { text } = await server.services.tokens.make(account, { kind: 'classic', scopes: ['repo'] })
    const authorization = `Bearer ${text}`
    const status = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${server.url}${path}`, { headers: { authorization }, ...init })).status
    const made = { method: 'POST', body: JSON.stringify({ name: 'x', auto_init: true }) }
    assert.equal(await status('/user/repos', { ...made, headers: { authorization } }), 201)
    assert.equal(await status(`/users/${name}`), 200)
    assert.equal(await status(`/repos/${name}/x`), 200)
    const basic = `Basic ${Buffer.from(`${name}:${text}`).toString('base64')}`
    const refs = { headers: { authorization: basic } }
    assert.equal(await status(`/${name}/x.git/info/refs?service=git-upload-pack`, refs), 200)
  })
}
