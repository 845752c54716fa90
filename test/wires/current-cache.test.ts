/** The cache of answers: who asks for what is being read shares it, and nobody is given what was read before a commit. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Store } from '../../src/store/store.ts'
import { type CurrentCache, makeCurrentCache } from '../../src/wires/current-cache.ts'
import { engines, makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { until } from '../support/until.ts'

for (const engine of engines) {
  describe(`the cache of answers on ${engine}`, () => {
    let database: TestDatabase
    let store: Store
    let cache: CurrentCache<object>
    before(async () => {
      database = await makeMigratedDatabase(engine)
      store = await database.open()
      cache = makeCurrentCache<object>(store.observeRead)
    })
    after(async () => {
      await store.close()
      await database.drop()
    })

    let reads = 0
    let selected = 0
    /** It goes on until the gate opens. */
    const begin = (key: string, gate: Promise<unknown>, size = 1) =>
      cache.get(
        key,
        async () => {
          const read = ++reads
          await store.db.selectFrom('account').select('id').execute()
          selected++
          await gate
          return { read }
        },
        () => (size < 0 ? undefined : size),
      )
    let accounts = 0
    const writeRead = () => {
      const name = `account-${++accounts}`
      const rest = { display_name: name, role: 'contestant', password_hash: null, suspended_at: null } as const
      const account = { ...rest, kind: 'user', name, name_key: name, created_at: 0, updated_at: 0 } as const
      return store.write((trx) => trx.insertInto('account').values(account).execute())
    }
    const writeOther = () =>
      store.write((trx) => trx.updateTable('account').set({ display_name: 'x' }).where('id', '=', 1).execute())

    test('what is asked for while it is read is read once', async () => {
      await store.catchUp()
      const gate = Promise.withResolvers<void>()
      reads = 0
      const asked = [begin('same', gate.promise), begin('same', gate.promise), begin('other', gate.promise)]
      gate.resolve()
      await Promise.all(asked)
      assert.equal(reads, 2)
    })

    test('a commit in between of what is read makes the second read for itself, one of anything else does not', async () => {
      for (const [write, second] of [
        [writeRead, 2],
        [writeOther, 1],
      ] as const) {
        const gate = Promise.withResolvers<void>()
        reads = 0
        const key = `written ${second}`
        selected = 0
        const asked = [begin(key, gate.promise)]
        await until(() => selected === 1)
        await write()
        asked.push(begin(key, gate.promise))
        gate.resolve()
        assert.deepEqual(await Promise.all(asked), [{ read: 1 }, { read: second }])
      }
    })

    test('of many who ask for what has changed meanwhile, one reads for all', async () => {
      const gate = Promise.withResolvers<void>()
      reads = 0
      selected = 0
      const asked = [begin('many', gate.promise)]
      await until(() => selected === 1)
      await writeRead()
      await store.catchUp()
      for (let i = 0; i < 50; i++) asked.push(begin('many', gate.promise))
      gate.resolve()
      await Promise.all(asked)
      assert.equal(reads, 2)
    })

    test('what can not be cached is not shared, nor is a failure', async () => {
      await store.catchUp()
      const gate = Promise.withResolvers<void>()
      reads = 0
      const asked = [begin('stream', gate.promise, -1), begin('stream', gate.promise, -1)]
      gate.resolve()
      assert.deepEqual(await Promise.all(asked), [{ read: 1 }, { read: 2 }])
      const broken = Promise.withResolvers<void>()
      reads = 0
      const failing = [begin('broken', broken.promise), begin('broken', Promise.resolve())]
      broken.promise.catch(() => {})
      broken.reject(new Error('No.'))
      await assert.rejects(Promise.resolve(failing[0]))
      assert.deepEqual(await failing[1], { read: 2 })
    })
  })
}
