/** One's own sessions and personal tokens over the judge's interface, and accounts that are suspended. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../support/engines.ts'
import { page } from '../support/judge.ts'
import { type Json, makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

for (const engine of oneEngine)
  describe(`one’s own credentials on ${engine}`, () => {
    let server: TestServer
    let anyone: RpcClient
    let ann: RpcClient
    before(async () => {
      server = await startServer(engine)
      anyone = makeRpcClient(server.url)
      for (const name of ['ann', 'bob'])
        await anyone.call('create_account', {
          AccountName: name,
          DisplayName: name,
          Role: 'contestant',
          Password: 'password',
        })
      ann = await anyone.signIn('ann', 'password')
    })
    after(() => server.stop())

    test('sessions are listed, and one is ended from another', async () => {
      const other = await anyone.signIn('ann', 'password')
      const { TotalSessionCount, SessionList } = await ann.call('get_session_list', page())
      assert.equal(TotalSessionCount, 2)
      assert.deepEqual(SessionList.map(({ IsCurrent }: Json) => IsCurrent).sort(), [false, true])
      const [theirs] = SessionList.filter(({ IsCurrent }: Json) => !IsCurrent)
      assert.ok(theirs.CreatedTime <= theirs.LastUsedTime && theirs.LastUsedTime < theirs.ExpiryTime)
      const bob = await anyone.signIn('bob', 'password')
      assert.equal(await bob.code('end_session', { ID: theirs.ID }), 6, 'another’s is not found')
      await ann.call('end_session', { ID: theirs.ID })
      assert.equal(await other.code('get_session'), 17)
      assert.equal(await ann.code('end_session', { ID: theirs.ID }), 6)
      assert.equal(await ann.code('end_session', { ID: '%' }), -32602)
      assert.equal(await ann.code('get_session'), 0)
    })

    test('a token is made, used, listed with its last use, and revoked', async () => {
      const made = await ann.call('create_token', { Kind: 'classic', ScopeList: ['judge', 'judge'], Note: 'robot' })
      const robot = anyone.as(made.Text)
      assert.equal((await robot.call('get_session')).Account.AccountName, 'ann')
      assert.equal(await robot.code('create_token', { Kind: 'classic', ScopeList: ['site_admin'] }), 8)
      const { TotalTokenCount, TokenList } = await ann.call('get_token_list', page())
      assert.equal(TotalTokenCount, 1)
      const [listed] = TokenList
      assert.deepEqual([listed.Note, listed.ScopeList, listed.ExpiryTime], ['robot', ['judge'], null])
      assert.ok(made.Text.endsWith(listed.Hint) && listed.LastUsedTime > 0)
      assert.ok(!JSON.stringify(TokenList).includes(made.Text))
      const bob = await anyone.signIn('bob', 'password')
      assert.equal(await bob.code('delete_token', { ID: listed.ID }), 6, 'another’s is not found')
      await ann.call('delete_token', { ID: listed.ID })
      assert.equal(await robot.code('get_session'), 17)
    })

    test('a fine-grained one has permissions and repositories, and ends when it was told to', async () => {
      const ExpiryTime = Date.now() + 86_400_000
      const { Token, Text } = await ann.call('create_token', {
        Kind: 'fine-grained',
        PermissionList: [{ Name: 'datasets', Level: 'read' }],
        ExpiryTime,
      })
      assert.deepEqual([Token.Kind, Token.RepositoryIDList, Token.ExpiryTime], ['fine-grained', null, ExpiryTime])
      const own = { authorization: `Bearer ${Text}` }
      assert.equal((await fetch(`${server.url}/v2/datasets`, { headers: own })).status, 200)
      assert.equal((await fetch(`${server.url}/v2/datasets?name=x`, { method: 'POST', headers: own })).status, 403)
    })

    test('what makes no sense is refused in words', async () => {
      const cases: [object, RegExp][] = [
        [{ Kind: 'oauth' }, /Kind/],
        [{ Kind: 'classic', ScopeList: ['everything'] }, /no scope named/],
        [{ Kind: 'classic', ExpiryTime: 1 }, /expired already/],
        [{ Kind: 'fine-grained', PermissionList: [{ Name: 'x y', Level: 'read' }] }, /Name/],
        [{ Kind: 'fine-grained', PermissionList: [{ Name: 'issues', Level: 'own' }] }, /Level/],
        [{ Kind: 'fine-grained', PermissionList: [{ Name: 'nonsense', Level: 'read' }] }, /no permission named/],
        [{ Kind: 'fine-grained', PermissionList: [{ Name: 'issues', Level: 'admin' }] }, /it has read, write/],
      ]
      for (const [params, message] of cases) {
        const { error } = await ann.ask('create_token', params)
        assert.equal(error.code, -32602, JSON.stringify(params))
        assert.match(JSON.stringify(error), message)
      }
    })

    test('who is suspended keeps all and signs in no more, and the list of accounts says so', async () => {
      const bob = await anyone.signIn('bob', 'password')
      const suspend = (method: string) =>
        fetch(`${server.url}/users/bob/suspended`, { method, headers: { authorization: `Bearer ${admin.token}` } })
      assert.equal((await suspend('PUT')).status, 204)
      assert.equal(await bob.code('get_session'), 8)
      assert.equal(await anyone.code('create_session', { AccountName: 'bob', Password: 'password' }), 8)
      assert.equal(await anyone.code('create_session', { AccountName: 'bob', Password: 'wrong-password' }), 17)
      const { AccountList } = await anyone.as(admin.token).call('get_account_list', page())
      const states = AccountList.map(({ AccountName, IsSuspended }: Json) => [AccountName, IsSuspended])
      assert.deepEqual(states, [
        ['bob', true],
        ['ann', undefined],
        ['admin', undefined],
      ])
      assert.equal((await suspend('DELETE')).status, 204)
      await anyone.signIn('bob', 'password')
    })
  })
