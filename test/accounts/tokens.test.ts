import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { makeAccounts } from '../../src/accounts/accounts.ts'
import type { Account } from '../../src/accounts/actor.ts'
import { makeLockout } from '../../src/accounts/sign-in/lockout.ts'
import { makePasswords } from '../../src/accounts/sign-in/passwords.ts'
import { makeSwitches } from '../../src/accounts/switches.ts'
import { everyScope, impliedScopes, isScope } from '../../src/accounts/tokens/scopes.ts'
import { hasPermission, hasScope } from '../../src/accounts/tokens/token.ts'
import { generateToken, hasTokenForm, tokenKinds } from '../../src/accounts/tokens/token-text.ts'
import { makeTokens } from '../../src/accounts/tokens.ts'
import { makeManualClock } from '../../src/lib/clock.ts'
import type { Store } from '../../src/store/store.ts'
import { engines, makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { ruleTestOn } from '../support/rule-test.ts'

describe('the spelling of tokens', () => {
  const prefixes = {
    classic: 'gdp_',
    'fine-grained': 'guildhall_pat_',
    oauth: 'gdo_',
    'app-user': 'gdu_',
    refresh: 'gdr_',
    installation: 'gds_',
    workflow: 'gds_',
  }
  for (const kind of tokenKinds) {
    test(`a ${kind} token is its prefix, thirty drawn characters and a checksum`, () => {
      const text = generateToken(kind)
      assert.ok(text.startsWith(prefixes[kind]))
      assert.equal(text.length, prefixes[kind].length + 36)
      assert.ok(hasTokenForm(text))
    })
  }

  test('a changed character is told offline', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 39 }), (at) => {
        const text = generateToken('classic')
        const other = text[at] === 'a' ? 'b' : 'a'
        return !hasTokenForm(text.slice(0, at) + other + text.slice(at + 1))
      }),
    )
  })
})

describe('scopes', () => {
  test('a parent has its children, down to the last', () => {
    assert.deepEqual([...impliedScopes(['admin:org'])].sort(), [
      'admin:org',
      'manage_runners:org',
      'read:org',
      'write:org',
    ])
    assert.ok(impliedScopes(['repo']).has('public_repo'))
    assert.ok(!impliedScopes(['public_repo']).has('repo'))
  })
  test('every scope together implies each that there is', () => {
    const all = impliedScopes(everyScope)
    for (const scope of ['judge', 'notifications', 'repo:status', 'read:user', 'site_admin', 'delete_repo']) {
      assert.ok(isScope(scope) && all.has(scope), scope)
    }
    assert.ok(!isScope('everything'))
  })
})

for (const engine of engines) {
  describe(`tokens on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    const clock = makeManualClock()
    let database: TestDatabase
    let store: Store
    let account: Account
    let tokens: ReturnType<typeof makeTokens>
    before(async () => {
      database = await makeMigratedDatabase(engine)
      store = await database.open()
      const accounts = makeAccounts({
        store,
        clock,
        passwords: makePasswords(),
        switches: makeSwitches({ store, clock }),
        lockout: makeLockout({ store, clock, rule: { name: 'x', tries: 1, withinMs: 1, blockMs: 1, message: '' } }),
        spendCreation: async () => {},
        maySetPassword: async () => false,
        isFreeName: async () => true,
      })
      account = await accounts.insert({ name: 'Ada', displayName: 'Ada', role: 'contestant' })
      const owners = { find: async (_trx: unknown, { id, name }: Account) => ({ id, name }), admit: async () => {} }
      tokens = makeTokens({ store, clock, narrowToApp: async () => undefined, owners })
    })
    after(async () => {
      await store.close()
      await database.drop()
    })

    test('one is found by its text alone, with all that it was given', async () => {
      const { text } = await tokens.make(account, {
        kind: 'fine-grained',
        note: 'laptop',
        permissions: { contents: 'write' },
        repositories: [3, 5],
      })
      const found = await tokens.find(text)
      assert.equal(found?.account.name, 'Ada')
      assert.deepEqual(found?.token.repositories, [3, 5])
      assert.ok(hasPermission(found!.token, 'contents', 'read'))
      assert.ok(!hasPermission(found!.token, 'contents', 'admin'))
      assert.ok(!hasPermission(found!.token, 'issues', 'read'))
      assert.equal(await tokens.find(`${text}x`), undefined)
    })

    rule('its text is nowhere in the database', async () => {
      const { text } = await tokens.make(account, { kind: 'classic', scopes: ['repo'] })
      const rows = await store.db.selectFrom('token').selectAll().execute()
      assert.ok(!JSON.stringify(rows).includes(text))
    })

    rule('it has what its scopes imply', async () => {
      const { token } = await tokens.make(account, { kind: 'classic', scopes: ['repo'] })
      assert.ok(hasScope(token, 'public_repo'))
      assert.ok(!hasScope(token, 'judge'))
    })

    rule('one with an unknown scope is not made', async () => {
      await assert.rejects(tokens.make(account, { kind: 'classic', scopes: ['root'] }), /no scope named "root"/)
    })

    test('it ends when it expires, to the millisecond', async () => {
      const { text } = await tokens.make(account, { kind: 'classic', expiresAt: new Date(clock.now() + 1000) })
      clock.advance(999)
      assert.ok(await tokens.find(text))
      clock.advance(1)
      assert.equal(await tokens.find(text), undefined)
    })

    rule('it ends when it is revoked', async () => {
      const { token, text } = await tokens.make(account, { kind: 'classic' })
      await tokens.revoke(token.id)
      assert.equal(await tokens.find(text), undefined)
      await assert.rejects(tokens.revoke(token.id), /no token/)
    })

    test('its last use is kept', async () => {
      const { token, text } = await tokens.make(account, { kind: 'classic' })
      await tokens.find(text)
      const listed = (await tokens.list(account)).find(({ id }) => id === token.id)
      assert.equal(listed?.lastUsedAt?.getTime(), clock.now())
    })
  })
}
