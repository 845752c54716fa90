import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { Store } from '../../src/store/store.ts'
import { startProcess } from '../support/child-process.ts'
import { engines, makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'

for (const engine of engines) {
  describe(`signals on ${engine}`, () => {
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

    const send = (channel: string, payload: string) => store.write((trx) => store.notify(trx, channel, payload))

    /** What comes on the channel until the payload `end`. */
    function collect(channel: string) {
      const { promise, resolve } = Promise.withResolvers<(string | undefined)[]>()
      const heard: (string | undefined)[] = []
      const stop = store.listen(channel, (payload) => {
        if (payload === 'end') resolve(heard)
        else heard.push(payload)
      })
      return { heard: promise, stop }
    }

    test('all who listen to a channel hear what was committed, in order, and nothing of other channels', async () => {
      const [one, two] = [collect('a'), collect('a')]
      await send('b', 'elsewhere')
      await send('a', 'first\nline')
      await send('a', '')
      await send('a', 'end')
      assert.deepEqual(await one.heard, ['first\nline', ''])
      assert.deepEqual(await two.heard, ['first\nline', ''])
    })

    test('a write that fails tells nobody, its neighbours do', async () => {
      const { heard } = collect('c')
      await Promise.allSettled([
        send('c', 'kept 1'),
        store.write(async (trx) => {
          await store.notify(trx, 'c', 'dropped')
          throw new Error('changed my mind')
        }),
        send('c', 'kept 2'),
      ])
      await send('c', 'end')
      assert.deepEqual((await heard).sort(), ['kept 1', 'kept 2'])
    })

    test('what was written is there to read when its signal comes', async () => {
      const { promise: value, resolve } = Promise.withResolvers<unknown>()
      store.listen('d', async (key) => {
        const row = await store.db.selectFrom('setting').select('value').where('key', '=', key!).executeTakeFirst()
        resolve(row?.value)
      })
      await store.write(async (trx) => {
        await store.notify(trx, 'd', 'k')
        await trx.insertInto('setting').values({ key: 'k', value: 'v' }).execute()
      })
      assert.equal(await value, 'v')
    })

    test('who stopped listening hears no more', async () => {
      const heard: unknown[] = []
      const stop = store.listen('e', (payload) => heard.push(payload))
      const other = collect('e')
      stop()
      stop()
      await send('e', 'x')
      await send('e', 'end')
      await other.heard
      assert.deepEqual(heard, [])
    })

    test('a signal that is too long is refused', async () => {
      await assert.rejects(send('f', 'x'.repeat(8_000)), /7000 bytes at most/)
    })
  })
}

describe('signals between processes on PostgreSQL', () => {
  let database: TestDatabase
  let store: Store
  before(async () => {
    database = await makeMigratedDatabase('postgres')
    store = await database.open()
  })
  after(async () => {
    await store.close()
    await database.drop()
  })

  test('another process hears', async () => {
    const other = startProcess(
      database,
      `store.listen('queue', async (payload) => {
        console.log(payload)
        await store.close()
      })
      console.log('listening')`,
    )
    assert.equal(await other.line(), 'listening')
    await store.write((trx) => store.notify(trx, 'queue', 'submission 7'))
    assert.equal(await other.line(), 'submission 7')
    assert.equal(await other.ended(), 0)
  })

  test('after a lost connection listeners are told to look, and hear again', async () => {
    const heard: (string | undefined)[] = []
    let wake = () => {}
    store.listen('queue', (payload) => {
      heard.push(payload)
      wake()
    })
    const reached = async (count: number) => {
      while (heard.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
    }
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'guildhall signals'`.execute(store.db)
    await reached(1)
    await store.write((trx) => store.notify(trx, 'queue', 'again'))
    await reached(2)
    assert.deepEqual(heard, [undefined, 'again'])
  })
})
