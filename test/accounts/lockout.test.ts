import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeLockout } from '../../src/accounts/sign-in/lockout.ts'
import { makeManualClock } from '../../src/lib/clock.ts'
import { Failure } from '../../src/lib/failure.ts'
import type { Store } from '../../src/store/store.ts'
import { engines, makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'

const minute = 60_000

for (const engine of engines) {
  describe(`lock-out on ${engine}`, () => {
    let database: TestDatabase
    let store: Store
    before(async () => {
      database = await makeMigratedDatabase(engine)
      store = await database.open()
    })
    after(async () => {
      await store.close()
      await database.drop()
    })

    const make = (name: string) => {
      const clock = makeManualClock()
      const rule = { name, tries: 10, withinMs: 15 * minute, blockMs: 15 * minute, message: 'Wait.' }
      return { clock, lockout: makeLockout({ store, clock, rule }) }
    }
    const isLocked = (act: () => Promise<void>) =>
      act().then(
        () => false,
        (error) => error instanceof Failure && error.kind === 'limited',
      )

    test('the tenth wrong try still learns that it was wrong, the eleventh not, the right one neither', async () => {
      const { lockout } = make('edge')
      for (let i = 0; i < 10; i++)
        assert.equal(await isLocked(async () => lockout.settle('a', false)), false, `try ${i + 1}`)
      assert.equal(await isLocked(async () => lockout.check('a')), true)
      assert.equal(await isLocked(async () => lockout.settle('a', false)), true)
      assert.equal(await isLocked(async () => lockout.settle('a', true)), true)
      assert.equal(await isLocked(async () => lockout.check('b')), false)
    })

    test('it ends fifteen minutes after the last counted one, to the millisecond', async () => {
      const { clock, lockout } = make('end')
      for (let i = 0; i < 10; i++) await lockout.settle('a', false)
      clock.advance(15 * minute - 1)
      assert.equal(await isLocked(async () => lockout.check('a')), true)
      clock.advance(1)
      assert.equal(await isLocked(async () => lockout.check('a')), false)
      for (let i = 0; i < 9; i++) assert.equal(await isLocked(async () => lockout.settle('a', false)), false)
      assert.equal(await isLocked(async () => lockout.check('a')), false)
    })

    test('wrong tries older than the time do not count', async () => {
      const { clock, lockout } = make('slide')
      for (let i = 0; i < 9; i++) await lockout.settle('a', false)
      clock.advance(15 * minute)
      for (let i = 0; i < 9; i++) await lockout.settle('a', false)
      assert.equal(await isLocked(async () => lockout.check('a')), false)
      await lockout.settle('a', false)
      assert.equal(await isLocked(async () => lockout.check('a')), true)
    })

    test('of forty wrong tries side by side exactly ten learn that they were wrong', async () => {
      const { lockout } = make('parallel')
      const locked = await Promise.all(
        Array.from({ length: 40 }, () => isLocked(async () => lockout.settle('a', false))),
      )
      assert.equal(locked.filter(Boolean).length, 30)
    })

    test('what is over is forgotten', async () => {
      const { clock, lockout } = make('prune')
      await lockout.settle('a', false)
      clock.advance(15 * minute + 1)
      await lockout.prune()
      const rows = await store.db.selectFrom('lockout').selectAll().where('key', '=', 'prune:a').execute()
      assert.deepEqual(rows, [])
    })
  })
}
