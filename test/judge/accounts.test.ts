/** Accounts, sessions and settings over JSON-RPC: every permission cell, switch and limit, on both databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../src/lib/clock.ts'
import { engines } from '../support/engines.ts'
import { type Json, makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

const password = 'correct horse'
const roles = ['contestant', 'problem_setter', 'admin', 'worker'] as const
const minute = 60_000
const hour = 60 * minute

for (const engine of engines) {
  describe(`judge accounts on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    const clock = makeManualClock()
    let server: TestServer
    let anonymous: RpcClient
    let root: RpcClient
    /** One signed-in client of each role, and its account. */
    const clients = {} as Record<(typeof roles)[number], RpcClient>
    const ids = {} as Record<(typeof roles)[number], number>
    let drawn = 0

    const draft = (over: object = {}) => ({
      AccountName: `user-${++drawn}`,
      DisplayName: 'A User',
      Role: 'contestant',
      Password: password,
      ...over,
    })
    const make = async (over: object = {}): Promise<{ ID: number; AccountName: string }> =>
      (await root.call('create_account', draft(over))).Account

    before(async () => {
      server = await startServer(engine, { clock })
      anonymous = makeRpcClient(server.url)
      root = await anonymous.signIn(admin.name, admin.password)
      for (const role of roles) {
        await root.call('create_account', draft({ AccountName: `the-${role.replace('_', '-')}`, Role: role }))
        clients[role] = await anonymous.signIn(`the-${role.replace('_', '-')}`, password)
        ids[role] = (await clients[role].call('get_session')).Account.ID
      }
    })
    after(() => server.stop())

    /** Expected codes for anonymous, contestant, problem_setter, admin, worker. */
    type Cells = readonly [number, number, number, number, number]
    const everyone = (): [string, RpcClient][] => [
      ['anonymous', anonymous],
      ...roles.map((role): [string, RpcClient] => [role, clients[role]]),
    ]
    const order = ['anonymous', ...roles]

    const table: [string, string, (who: string) => object | Promise<object>, Cells][] = [
      ['get_server_info', 'get_server_info', () => ({}), [0, 0, 0, 0, 0]],
      ['create_account as contestant', 'create_account', () => draft(), [0, 0, 0, 0, 0]],
      ['create_account as problem_setter', 'create_account', () => draft({ Role: 'problem_setter' }), [0, 0, 0, 0, 0]],
      ['create_account as admin', 'create_account', () => draft({ Role: 'admin' }), [17, 8, 8, 0, 8]],
      ['create_account as worker', 'create_account', () => draft({ Role: 'worker' }), [17, 8, 8, 0, 8]],
      ['get_session', 'get_session', () => ({}), [17, 0, 0, 0, 0]],
      ['get_account_list', 'get_account_list', () => ({ Offset: 0, Limit: 1 }), [17, 8, 0, 0, 8]],
      ['get_account of oneself', 'get_account', (who) => ({ ID: ids[who as 'admin'] ?? 1 }), [17, 0, 0, 0, 0]],
      ['get_account of another', 'get_account', () => ({ ID: 1 }), [17, 8, 0, 0, 8]],
      ['get_account of nobody', 'get_account', () => ({ ID: 999_999 }), [17, 6, 6, 6, 6]],
      [
        'update_account of oneself',
        'update_account',
        (who) => ({ ID: ids[who as 'admin'] ?? 1, DisplayName: 'Me' }),
        [17, 0, 0, 0, 0],
      ],
      [
        'update_account of another',
        'update_account',
        async () => ({ ID: (await make()).ID, DisplayName: 'You' }),
        [17, 8, 8, 0, 8],
      ],
      ['update_account of nobody', 'update_account', () => ({ ID: 999_999, DisplayName: 'X' }), [17, 6, 6, 6, 6]],
      [
        'update_account of oneself with a new role',
        'update_account',
        (who) => ({ ID: ids[who as 'admin'] ?? 1, Role: who === 'admin' ? 'admin' : 'problem_setter' }),
        [17, 8, 0, 0, 8],
      ],
      [
        'update_account of oneself with the present role',
        'update_account',
        (who) => ({ ID: ids[who as 'admin'] ?? 1, Role: who === 'anonymous' ? 'admin' : who }),
        [17, 0, 0, 0, 0],
      ],
      [
        'update_account of another with a role',
        'update_account',
        async () => ({ ID: (await make()).ID, Role: 'problem_setter' }),
        [17, 8, 8, 0, 8],
      ],
      [
        'update_account of nobody with a role',
        'update_account',
        () => ({ ID: 999_999, Role: 'contestant' }),
        [17, 8, 8, 6, 8],
      ],
      ['update_setting', 'update_setting', () => ({ Setting: {} }), [17, 8, 8, 0, 8]],
      ['an unknown method', 'do_the_dishes', () => ({}), [-32601, -32601, -32601, -32601, -32601]],
      [
        'wrong params, which anonymous callers never learn',
        'get_account',
        () => ({ ID: 'one' }),
        [17, -32602, -32602, -32602, -32602],
      ],
      [
        'signing in comes before wrong params',
        'create_account',
        () => ({ Role: 'worker' }),
        [17, -32602, -32602, -32602, -32602],
      ],
      [
        'wrong params come before a role that may not',
        'update_setting',
        () => ({ Setting: 1 }),
        [17, -32602, -32602, -32602, -32602],
      ],
    ]
    for (const [name, method, params, cells] of table) {
      rule(`who may: ${name}`, async () => {
        const codes: number[] = []
        for (const [who, client] of everyone()) codes.push(await client.code(method, await params(who)))
        assert.deepEqual(
          Object.fromEntries(order.map((who, i) => [who, codes[i]])),
          Object.fromEntries(order.map((who, i) => [who, cells[i]])),
        )
      })
    }

    const valid = { AccountName: 'Some-1', DisplayName: 'é', Role: 'contestant', Password: '12345678' }
    const edges: [string, object, boolean][] = [
      ['an account name of 39', { AccountName: 'a'.repeat(39) }, true],
      ['an account name of 40', { AccountName: 'a'.repeat(40) }, false],
      ['an empty account name', { AccountName: '' }, false],
      ['a hyphen first', { AccountName: '-a' }, false],
      ['a hyphen last', { AccountName: 'a-' }, false],
      ['one letter', { AccountName: 'q' }, true],
      ['the word of a path', { AccountName: 'repos' }, true],
      ['an underscore', { AccountName: 'a_b' }, false],
      ['a letter that is not ASCII', { AccountName: 'é' }, false],
      ['a line feed at the end', { AccountName: 'abc\n' }, false],
      ['a display name of 64 characters outside the basic plane', { DisplayName: '𝄞'.repeat(64) }, true],
      ['a display name of 65', { DisplayName: 'a'.repeat(65) }, false],
      ['an empty display name', { DisplayName: '' }, false],
      ['a NUL in a display name', { DisplayName: 'a\0b' }, false],
      ['half a surrogate pair', { DisplayName: '\ud800' }, false],
      ['a password of 7', { Password: '1234567' }, false],
      ['a password of 8', { Password: '12345678' }, true],
      ['a password of 256', { Password: 'p'.repeat(256) }, true],
      ['a password of 257', { Password: 'p'.repeat(257) }, false],
      ['an unknown role', { Role: 'king' }, false],
      ['a role in another case', { Role: 'Contestant' }, false],
      ['a number for a name', { AccountName: 7 }, false],
      ['null for a name', { AccountName: null }, false],
      ['an unknown member', { Colour: 'blue' }, true],
    ]
    for (const [name, over, isFine] of edges) {
      rule(`create_account with ${name} is ${isFine ? 'taken' : '-32602'}`, async () => {
        const params = { ...valid, AccountName: `edge-${++drawn}`, ...over }
        const answer = await anonymous.ask('create_account', params)
        if (isFine) return assert.equal(answer.error, undefined)
        assert.equal(answer.error.code, -32602)
        assert.deepEqual(
          answer.error.data.Errors.map((one: Json) => one.Field),
          [Object.keys(over)[0]],
        )
        assert.equal(typeof answer.error.data.Errors[0].Reason, 'string')
      })
    }

    rule('missing members are each named', async () => {
      const { error } = await anonymous.ask('create_account', {})
      assert.deepEqual(error.data.Errors.map((one: Json) => one.Field).sort(), [
        'AccountName',
        'DisplayName',
        'Password',
        'Role',
      ])
    })

    const integers: [string, unknown, number][] = [
      ['2^53-1', Number.MAX_SAFE_INTEGER, 6],
      ['2^53', 2 ** 53, -32602],
      ['-1', -1, -32602],
      ['1.5', 1.5, -32602],
      ['"1"', '1', -32602],
      ['1e400 (infinite)', null, -32602],
    ]
    for (const [name, ID, code] of integers) {
      rule(`get_account of ${name} answers ${code}`, async () =>
        assert.equal(await root.code('get_account', { ID }), code),
      )
    }

    test('names are unique without regard to case', async () => {
      const { AccountName } = await make()
      assert.equal(await anonymous.code('create_account', draft({ AccountName: AccountName.toUpperCase() })), 7)
    })

    test('of twenty that want one name at once one gets it', async () => {
      const codes = await Promise.all(
        Array.from({ length: 20 }, () => root.code('create_account', draft({ AccountName: 'wanted' }))),
      )
      assert.deepEqual(
        codes.sort((a, b) => a - b),
        [0, ...Array(19).fill(7)],
      )
    })

    test('accounts are listed newest first, in pages, with how many there are', async () => {
      const { ID } = await make()
      const first = await root.call('get_account_list', { Offset: 0, Limit: 2 })
      const second = await root.call('get_account_list', { Offset: 1, Limit: 2 })
      assert.equal(first.AccountList[0].ID, ID)
      assert.deepEqual(first.AccountList[1], second.AccountList[0])
      assert.deepEqual(Object.keys(first.AccountList[0]).sort(), ['AccountName', 'DisplayName', 'ID', 'Role'])
      const all = await root.call('get_account_list', { Offset: first.TotalAccountCount - 1, Limit: 100 })
      assert.equal(all.AccountList.length, 1)
      assert.equal((await root.call('get_account_list', { Offset: 10 ** 9, Limit: 100 })).AccountList.length, 0)
      for (const Limit of [0, 101, -1]) assert.equal(await root.code('get_account_list', { Offset: 0, Limit }), -32602)
    })

    rule('an absent or null member of an update leaves that field as it is', async () => {
      const { ID } = await make({ DisplayName: 'Before' })
      const { Account } = await root.call('update_account', { ID, DisplayName: null, Role: null, Password: null })
      assert.deepEqual([Account.DisplayName, Account.Role], ['Before', 'contestant'])
    })

    rule('a wrong name and a wrong password get the same answer', async () => {
      const { AccountName } = await make()
      const wrongPassword = await anonymous.ask('create_session', { AccountName, Password: 'not it at all' })
      const wrongName = await anonymous.ask('create_session', {
        AccountName: 'no-such-name',
        Password: 'not it at all',
      })
      assert.equal(wrongPassword.error.code, 17)
      assert.deepEqual(wrongPassword.error, wrongName.error)
    })

    test('a NUL in a name is told, on either database', async () => {
      assert.equal(await anonymous.code('create_session', { AccountName: 'a\0b', Password: password }), -32602)
    })

    rule('a session opens what its account may, and is over at once when ended', async () => {
      const { AccountName, ID } = await make()
      const client = await anonymous.signIn(AccountName.toUpperCase(), password)
      assert.equal((await client.call('get_session')).Account.ID, ID)
      assert.deepEqual(await client.call('delete_session'), {})
      assert.equal(await client.code('get_session'), 17)
      assert.equal(await client.code('delete_session'), 17)
      assert.equal(await client.code('get_server_info'), 0)
    })

    test('a session lasts a day from its last use', async () => {
      const client = await anonymous.signIn(admin.name, admin.password)
      for (let i = 0; i < 3; i++) {
        clock.advance(24 * hour - 1)
        assert.equal(await client.code('get_session'), 0)
      }
      clock.advance(24 * hour)
      assert.equal(await client.code('get_session'), 17)
      root = await anonymous.signIn(admin.name, admin.password)
      for (const role of roles) clients[role] = await anonymous.signIn(`the-${role.replace('_', '-')}`, password)
    })

    test('a password change ends the other sessions of that account and no one else’s', async () => {
      const { AccountName, ID } = await make()
      const [one, two] = [await anonymous.signIn(AccountName, password), await anonymous.signIn(AccountName, password)]
      await one.call('update_account', { ID, Password: 'another horse' })
      assert.deepEqual(
        [await one.code('get_session'), await two.code('get_session'), await root.code('get_session')],
        [0, 17, 0],
      )
      assert.equal(await anonymous.code('create_session', { AccountName, Password: password }), 17)
      await root.call('update_account', { ID, Password: 'third horse' })
      assert.equal(await one.code('get_session'), 17)
    })

    test('a role change binds open sessions at once', async () => {
      const { AccountName, ID } = await make()
      const client = await anonymous.signIn(AccountName, password)
      assert.equal(await client.code('get_account_list', { Offset: 0, Limit: 1 }), 8)
      await root.call('update_account', { ID, Role: 'problem_setter' })
      assert.equal(await client.code('get_account_list', { Offset: 0, Limit: 1 }), 0)
    })

    test('who changes their own account reads it so at once', async () => {
      const { ID, AccountName } = await make()
      const mine = await anonymous.signIn(AccountName, password)
      for (const DisplayName of ['One', 'Two', 'Three']) {
        await mine.call('update_account', { ID, DisplayName })
        assert.equal((await mine.call('get_account', { ID })).Account.DisplayName, DisplayName)
      }
    })

    test('the last admin can’t lose the role, even when two of them try at once', async () => {
      const others = (await root.call('get_account_list', { Offset: 0, Limit: 100 })).AccountList.filter(
        (one: Json) => one.Role === 'admin' && one.ID !== 1,
      )
      for (const { ID } of others) await root.call('update_account', { ID, Role: 'contestant' })
      assert.equal(await root.code('update_account', { ID: 1, Role: 'contestant' }), 10)
      const { ID } = await make({ Role: 'admin' })
      const codes = await Promise.all([
        root.code('update_account', { ID: 1, Role: 'contestant' }),
        root.code('update_account', { ID, Role: 'contestant' }),
      ])
      const left = codes.filter((code) => code === 0).length
      assert.equal(left, 1, `codes ${codes}`)
      const token = makeRpcClient(server.url, admin.token)
      const me = (await token.call('get_session')).Account
      if (me.Role !== 'admin') {
        const second = await anonymous.signIn(
          (await server.services.accounts.findByName(`user-${drawn}`))!.name,
          password,
        )
        await second.call('update_account', { ID: 1, Role: 'admin' })
      }
    })

    rule('the account by which the server judges keeps its role and is not suspended', async () => {
      const { ID } = await make({ AccountName: 'guildhall-executor', Role: 'worker' })
      assert.equal(await root.code('update_account', { ID, Role: 'contestant' }), 10)
      const headers = { authorization: `Bearer ${admin.token}` }
      const suspend = (method: string) =>
        fetch(`${server.url}/users/guildhall-executor/suspended`, { method, headers }).then(({ status }) => status)
      const refused = await suspend('PUT')
      assert.ok(refused >= 400 && refused < 500, `${refused}`)
      assert.equal(await suspend('DELETE'), 204)
      assert.equal(await root.code('update_account', { ID, Role: 'worker', DisplayName: 'Executor' }), 0)
    })

    rule('ten wrong passwords close a name for fifteen minutes, the right one too, whatever its case', async () => {
      for (const AccountName of [(await make()).AccountName, 'nobody-has-this']) {
        for (let i = 0; i < 10; i++) {
          assert.equal(await anonymous.code('create_session', { AccountName, Password: 'wrong-password' }), 17)
        }
        const late = { AccountName: AccountName.toUpperCase(), Password: password }
        assert.equal(await anonymous.code('create_session', late), 9)
        clock.advance(15 * minute - 1)
        assert.equal(await anonymous.code('create_session', late), 9)
        clock.advance(1)
        assert.equal(await anonymous.code('create_session', late), AccountName.startsWith('user') ? 0 : 17)
      }
    })

    test('of sixteen wrong passwords at once exactly ten are told so', async () => {
      const { AccountName } = await make()
      const codes = await Promise.all(
        Array.from({ length: 16 }, () => anonymous.code('create_session', { AccountName, Password: 'wrong-password' })),
      )
      assert.deepEqual(
        codes.sort((a, b) => a - b),
        [...Array(6).fill(9), ...Array(10).fill(17)],
      )
    })

    rule('the switches stop what they name, for every role, and nothing that is open', async () => {
      const off = (group: string, name: string) =>
        root.call('update_setting', { Setting: { [group]: settings({ [name]: true })[group as 'Account'] } })
      const allOn = () => root.call('update_setting', { Setting: settings() })
      const setter = (await make({ Role: 'problem_setter' })).AccountName
      const contestant = await make()
      const open = await anonymous.signIn(contestant.AccountName, password)

      await off('Account', 'DisableAccountCreation')
      for (const [, client] of everyone()) assert.equal(await client.code('create_account', draft()), 15)
      assert.equal(await anonymous.code('create_account', { AccountName: 7 }), -32602)
      assert.equal(await clients.contestant.code('create_account', draft({ Role: 'admin' })), 8)
      await allOn()

      await off('Account', 'DisableAccountUpdate')
      assert.equal(await root.code('update_account', { ID: 1, DisplayName: 'Root' }), 15)
      assert.equal(await root.code('update_account', { ID: 999_999, DisplayName: 'Root' }), 15)
      await allOn()

      await off('Account', 'DisableSessionCreationForContestant')
      const signIn = (AccountName: string, Password: string) =>
        anonymous.code('create_session', { AccountName, Password })
      assert.equal(await signIn(contestant.AccountName, password), 15)
      assert.equal(await signIn(contestant.AccountName, 'wrong-password'), 17)
      assert.equal(await signIn(setter, password), 0)
      assert.equal(await open.code('get_session'), 0)
      await allOn()

      await off('Account', 'DisableSessionCreationForProblemSetter')
      assert.deepEqual([await signIn(setter, password), await signIn(contestant.AccountName, password)], [15, 0])
      await allOn()
    })

    test('update_setting changes whole groups and leaves missing and null ones', async () => {
      const changed = await root.call('update_setting', {
        Setting: { Problem: settings({ DisableProblemUpdate: true }).Problem, Account: null },
      })
      assert.deepEqual(changed.Setting, settings({ DisableProblemUpdate: true }))
      assert.deepEqual((await anonymous.call('get_server_info')).Setting, changed.Setting)
      assert.equal(await root.code('update_setting', { Setting: { Problem: { DisableProblemUpdate: false } } }), -32602)
      assert.equal(await root.code('update_setting', {}), -32602)
      await root.call('update_setting', { Setting: settings() })
    })

    rule('a classic token with the scope judge serves as well as a session; others do not', async () => {
      const account = (await server.services.accounts.findByName(admin.name))!
      const client = async (draft: Json) =>
        makeRpcClient(server.url, (await server.services.tokens.make(account, draft)).text)
      const judge = await client({ kind: 'classic', scopes: ['judge'] })
      assert.equal(await judge.code('get_account_list', { Offset: 0, Limit: 1 }), 0)
      assert.equal(await judge.code('delete_session'), 10)
      const other = await client({ kind: 'classic', scopes: ['repo'] })
      assert.equal(await other.code('get_session'), 8)
      assert.equal(await other.code('get_server_info'), 0)
      assert.equal(await other.code('create_account', draft()), 0)
      assert.equal(await other.code('create_account', draft({ Role: 'admin' })), 8, 'its account may, it may not')
      assert.equal(await (await client({ kind: 'fine-grained' })).code('get_session'), 8)
      assert.equal(await makeRpcClient(server.url, 'unknown-token').code('get_session'), 17)
      assert.equal(await makeRpcClient(server.url, 'unknown-token').code('get_server_info'), 0)
    })

    rule('one address makes six hundred accounts an hour and no more', async () => {
      clock.advance(2 * hour)
      const spent = await server.services.rates.spend([
        { key: 'new-account:127.0.0.1', limit: 600, windowMs: hour, cost: 599 },
      ])
      assert.ok(spent.allowed)
      assert.equal(await anonymous.code('create_account', draft()), 0)
      assert.equal(await anonymous.code('create_account', draft()), 9)
      clock.advance(hour)
      assert.equal(await anonymous.code('create_account', draft()), 0)
    })
  })
}

const switchNames = {
  Account: [
    'DisableAccountCreation',
    'DisableAccountUpdate',
    'DisableSessionCreationForContestant',
    'DisableSessionCreationForProblemSetter',
  ],
  Problem: ['DisableProblemCreation', 'DisableProblemUpdate'],
  Submission: ['DisableSubmissionCreation'],
} as const

/** A switch that does not exist does not compile. */
type SwitchName = (typeof switchNames)[keyof typeof switchNames][number]

function settings(over: Partial<Record<SwitchName, boolean>> = {}) {
  const fill = (names: readonly SwitchName[]) => Object.fromEntries(names.map((name) => [name, over[name] ?? false]))
  return {
    Account: fill(switchNames.Account),
    Problem: fill(switchNames.Problem),
    Submission: fill(switchNames.Submission),
  }
}
