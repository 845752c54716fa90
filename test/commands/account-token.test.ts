/** Accounts and tokens by the command line, on both databases, while a server runs that has to obey at once. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { tokenKinds } from '../../src/accounts/tokens/token-text.ts'
import { engines } from '../support/engines.ts'
import { runProgram } from '../support/program.ts'
import { makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

for (const engine of engines) {
  describe(`commands beside a running server (${engine})`, () => {
    const rule = ruleTestOn(engine)
    let server: TestServer
    let rpc: RpcClient
    before(async () => {
      server = await startServer(engine)
      rpc = makeRpcClient(server.url)
    })
    after(() => server.stop())

    const run = (line: string, input = '') => {
      const { folder, url } = server.database
      return runProgram(line.split(' '), { GUILDHALL_DATA: folder, DATABASE_URL: url }, input)
    }

    it('an added account can sign in at once, and is listed', async () => {
      const added = await run('account add ann --role problem_setter --display-name Ännchen', 'first-password\n')
      assert.deepEqual([added.code, added.err], [0, ''])
      assert.doesNotMatch(added.out, /first-password/)
      const ann = await rpc.signIn('ann', 'first-password')
      const { Account } = await ann.call('get_session')
      assert.deepEqual([Account.AccountName, Account.DisplayName, Account.Role], ['ann', 'Ännchen', 'problem_setter'])
      assert.match((await run('account list')).out, /^ID .*\n1 +admin .*\n2 +ann +problem_setter .*Ännchen\n$/)
    })

    it('a new password ends the sessions and the old password at once', async () => {
      const ann = await rpc.signIn('ann', 'first-password')
      const { code, out, err } = await run('account passwd ANN --password-stdin', 'other-password\n')
      assert.deepEqual([code, err], [0, ''])
      assert.doesNotMatch(out, /other-password/)
      assert.notEqual(await ann.code('get_session'), 0)
      await assert.rejects(rpc.signIn('ann', 'first-password'))
      await rpc.signIn('ann', 'other-password')
    })

    rule('a new password opens a name again that wrong ones have closed', async () => {
      for (let i = 0; i < 10; i++) await assert.rejects(rpc.signIn('Ann', 'wrong-password'))
      await assert.rejects(rpc.signIn('ann', 'other-password'), { code: 9 })
      assert.equal((await run('account passwd ann', 'other-password\n')).code, 0)
      await rpc.signIn('ann', 'other-password')
    })

    rule('a new role counts at once, and the last admin keeps it', async () => {
      const ann = await rpc.signIn('ann', 'other-password')
      assert.equal((await run('account role ann worker')).code, 0)
      assert.equal((await ann.call('get_session')).Account.Role, 'worker')
      const refused = await run('account role admin contestant')
      assert.deepEqual([refused.code, refused.err.split('\n').length], [1, 2])
      assert.match(refused.err, /^guildhall: This is the last admin/)
    })

    rule('the switches of the judge do not bind the command line', async () => {
      const chief = await rpc.signIn(admin.name, admin.password)
      const account = (isOff: boolean) => ({
        DisableAccountCreation: isOff,
        DisableAccountUpdate: isOff,
        DisableSessionCreationForContestant: false,
        DisableSessionCreationForProblemSetter: false,
      })
      await chief.call('update_setting', { Setting: { Account: account(true) } })
      assert.equal((await run('account add eve', 'some-password')).code, 0)
      assert.equal((await run('account passwd eve', 'more-password')).code, 0)
      await chief.call('update_setting', { Setting: { Account: account(false) } })
      await rpc.signIn('eve', 'more-password')
    })

    it('a token opens the server at once, shows in the list by its end alone, and dies at once', async () => {
      const { code, out } = await run('token add ann --kind classic --scopes judge,repo --expires 30d --note robot')
      assert.equal(code, 0)
      const token = out.trim()
      assert.match(token, /^gdp_[0-9A-Za-z]{36}$/)
      const robot = rpc.as(token)
      assert.equal((await robot.call('get_session')).Account.AccountName, 'ann')
      const list = (await run('token list ann')).out
      const [, id] = /^(\d+) +classic +…(\w{8}) +judge,repo +all .* robot$/m.exec(list) ?? assert.fail(list)
      assert.ok(!list.includes(token) && list.includes(token.slice(-8)))
      assert.equal((await run(`token revoke ${id}`)).code, 0)
      assert.notEqual(await robot.code('get_session'), 0)
      const again = await run(`token revoke ${id}`)
      assert.deepEqual([again.code, again.out], [1, ''])
    })

    // What is beyond the database is the same on both: once is enough.
    if (engine === 'postgres') return

    rule('every kind of token can be made', async () => {
      const asAdmin = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' }
      const ids: number[] = []
      for (const name of ['one', 'two']) {
        const request = { method: 'POST', headers: asAdmin, body: JSON.stringify({ name }) }
        ids.push(((await (await fetch(`${server.url}/user/repos`, request)).json()) as { id: number }).id)
      }
      const eve = (await server.services.accounts.findByName('eve'))!
      const helper = await server.services.tokens.make(eve, { kind: 'classic', scopes: ['repo'] })
      const headers = { ...asAdmin, authorization: `Bearer ${helper.text}` }
      const request = { method: 'POST', headers, body: JSON.stringify({ name: 'own' }) }
      const { id: own } = (await (await fetch(`${server.url}/user/repos`, request)).json()) as { id: number }
      await server.services.tokens.revoke(helper.token.id)
      const words: Record<string, string> = {
        classic: '--scopes repo',
        'fine-grained': '--permissions contents=read,issues=write --repositories all',
        oauth: '--scopes notifications',
        'app-user': `--permissions metadata=read --repositories ${own}`,
        refresh: '',
        installation: `--repositories ${ids[0]}`,
        workflow: `--repositories ${ids[1]} --permissions contents=write`,
      }
      for (const kind of tokenKinds) {
        const { code, out, err } = await run(`token add eve --kind ${kind} ${words[kind]}`.trim())
        assert.equal(code, 0, err)
        const found = await server.services.tokens.find(out.trim())
        assert.equal(found?.token.kind, kind)
        assert.equal(/It has no permissions/.test(err), kind === 'installation', err)
        assert.equal(found?.token.expiresAt !== undefined, kind === 'installation' || kind === 'workflow')
      }
      const tokens = await server.services.tokens.list((await server.services.accounts.findByName('eve'))!)
      assert.deepEqual(tokens[1]!.permissions, { contents: 'read', issues: 'write' })
      assert.deepEqual([tokens[1]!.repositories, tokens[3]!.repositories], ['all', [own]])
      assert.deepEqual([tokens[1]!.resourceOwner?.name, tokens[0]!.resourceOwner], ['eve', undefined])
    })

    rule('a token is for the owner that was named, and the list says for whom', async () => {
      const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ login: 'works', admin: 'eve' })
      await fetch(`${server.url}/admin/organizations`, { method: 'POST', headers, body })
      const words = 'token add eve --kind fine-grained --permissions members=read --note crew'
      assert.equal((await run(`${words} --resource-owner works`)).code, 0)
      assert.match((await run('token list eve')).out, / members=read +none +works .*crew$/m)
      for (const owner of ['admin', 'nobody']) {
        const { code, err } = await run(`${words} --resource-owner ${owner}`)
        assert.deepEqual([code, /neither eve nor an organization/.test(err)], [1, true], err)
      }
    })

    rule('a token that opens no repository says so, and the list tells what each reaches', async () => {
      const { err } = await run('token add eve --kind fine-grained --permissions contents=read')
      assert.match(err, /has access to no repository: add --repositories/)
      const list = (await run('token list eve')).out
      for (const shown of [/ classic .* repo +all /, / oauth .* notifications +public /, / contents=read +none /])
        assert.match(list, shown)
    })

    rule('wrong words are refused in one line with nothing made', async () => {
      const before = await server.services.tokens.list((await server.services.accounts.findByName('eve'))!)
      for (const [line, input] of [
        ['account add ann', 'good-password'],
        ['account add bob --role king', 'good-password'],
        ['account add bob', 'short'],
        ['account passwd nobody', 'good-password'],
        ['token add nobody --kind classic'],
        ['token add eve --kind workflow --repositories 1,2'],
        ['token add eve --kind classic --permissions contents=read'],
        ['token add eve --kind classic --resource-owner eve'],
        ['token add eve --kind fine-grained --permissions contents=read --repositories 1'],
        ['token add eve --kind fine-grained --permissions nonsense=write'],
        ['token add admin --kind fine-grained --permissions contents=read --repositories 424242'],
        ['token revoke all'],
      ] as const) {
        const { code, out, err } = await run(line, input)
        assert.deepEqual([code, out], [1, ''], `${line}: ${err}`)
        assert.match(err, /^guildhall: [^\n]+\n$/)
      }
      const missing = await run('token add admin --kind installation --repositories 424242')
      assert.match(missing.err, /no repository with the id 424242: admin has \d+ \(one\), \d+ \(two\)\.$/m)
      assert.equal(await server.services.accounts.findByName('bob'), undefined)
      const now = await server.services.tokens.list((await server.services.accounts.findByName('eve'))!)
      assert.equal(now.length, before.length)
    })
  })
}
