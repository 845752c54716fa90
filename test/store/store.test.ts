import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { OperatorError } from '../../src/lib/failure.ts'
import type { Store } from '../../src/store/store.ts'
import { engines, makeDatabase, type TestDatabase } from '../support/engines.ts'
import { until } from '../support/until.ts'

for (const engine of engines) {
  describe(`store on ${engine}`, () => {
    let database: TestDatabase
    let store: Store
    before(async () => {
      database = await makeDatabase(engine)
      store = await database.open()
    })
    after(async () => {
      await store.close()
      await database.drop()
    })

    const put = (key: string, value: string) =>
      store.write((trx) => trx.insertInto('setting').values({ key, value }).execute())
    const read = async (key: string) =>
      (await store.db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst())?.value

    test('what a write answered, a read sees', async () => {
      await put('a', '1')
      assert.equal(await read('a'), '1')
    })

    test('a write that fails leaves nothing, and takes none of its neighbours along', async () => {
      const outcomes = await Promise.allSettled([
        put('n1', 'x'),
        store.write(async (trx) => {
          await trx.insertInto('setting').values({ key: 'half', value: 'x' }).execute()
          throw new Error('changed my mind')
        }),
        put('n1', 'twice'),
        put('n2', 'y'),
      ])
      assert.equal(outcomes[1]!.status, 'rejected')
      assert.deepEqual([outcomes[0]!.status, outcomes[2]!.status].sort(), ['fulfilled', 'rejected'])
      assert.equal(await read('half'), undefined)
      assert.ok(await read('n1'))
      assert.equal(await read('n2'), 'y')
    })

    test('a write that may be lost in a power cut is seen like any other, and takes nothing from its neighbours', async () => {
      const putLightly = (key: string, value: string) =>
        store.write((trx) => trx.insertInto('setting').values({ key, value }).execute(), { mayBeLost: true })
      await putLightly('light', '1')
      assert.equal(await read('light'), '1')
      await assert.rejects(putLightly('light', '2'))
      await Promise.all([putLightly('lighter', '3'), put('heavy', '4')])
      const other = await database.open()
      const rows = await other.db
        .selectFrom('setting')
        .selectAll()
        .where('key', 'in', ['light', 'lighter', 'heavy'])
        .execute()
      await other.close()
      assert.deepEqual(rows.map(({ value }) => value).sort(), ['1', '3', '4'])
    })

    test('a write inside a write throws at once by name, and what the outer one started may write after it', async () => {
      let afterwards = Promise.resolve<unknown>(undefined)
      const outer = Promise.withResolvers<void>()
      await store.write(async (trx) => {
        await trx.insertInto('setting').values({ key: 'outer', value: '1' }).execute()
        assert.throws(() => put('inner', '1'), { name: 'NestedWriteError' })
        await Promise.resolve()
        assert.throws(() => put('inner', '2'), { name: 'NestedWriteError' })
        afterwards = outer.promise.then(() => put('afterwards', '1'))
      })
      outer.resolve()
      await afterwards
      await Promise.all([put('beside', '1'), store.write(async () => {})])
      assert.deepEqual(await Promise.all(['outer', 'inner', 'afterwards', 'beside'].map(read)), [
        '1',
        undefined,
        '1',
        '1',
      ])
    })

    test('writes that share a commit run in the contexts of their authors', async () => {
      const author = new AsyncLocalStorage<number>()
      const seen = await Promise.all(
        [1, 2, 3].map((n) => author.run(n, () => store.write(async () => [n, author.getStore()]))),
      )
      assert.deepEqual(seen, [
        [1, 1],
        [2, 2],
        [3, 3],
      ])
    })

    test('numbers and text come back as they went in', async () => {
      const value = 'grüße 𝄞 \u{10FFFF}'
      await put('text', value)
      assert.equal(await read('text'), value)
      await store.write((trx) =>
        trx
          .insertInto('lockout')
          .values({ key: 'k', failures: '[]', blocked_until: Number.MAX_SAFE_INTEGER })
          .execute(),
      )
      const row = await store.db.selectFrom('lockout').selectAll().executeTakeFirstOrThrow()
      assert.equal(row.blocked_until, Number.MAX_SAFE_INTEGER)
    })

    test('a row that points nowhere is refused', async () => {
      await assert.rejects(
        store.write((trx) =>
          trx.insertInto('session').values({ token_hash: 'h', account_id: 7, created_at: 0, expires_at: 0 }).execute(),
        ),
        /foreign key/i,
      )
    })

    test('a read-modify-write that names its exclusive lock loses no update', async () => {
      await put('counter', '0')
      await Promise.all(
        Array.from({ length: 50 }, () =>
          store.write(
            async (trx) => {
              const { value } = await trx
                .selectFrom('setting')
                .select('value')
                .where('key', '=', 'counter')
                .executeTakeFirstOrThrow()
              await trx
                .updateTable('setting')
                .set({ value: String(Number(value) + 1) })
                .where('key', '=', 'counter')
                .execute()
            },
            { locks: ['counter'] },
          ),
        ),
      )
      assert.equal(await read('counter'), '50')
    })

    test('many who wait for one exclusive lock keep neither readers nor other writers out', async () => {
      await put('read meanwhile', 'yes')
      const open = Promise.withResolvers<void>()
      const order: number[] = []
      const writers = Array.from({ length: 30 }, (_, i) =>
        store.write(
          async () => {
            order.push(i)
            // On SQLite every writer is alone.
            if (engine === 'postgres') await open.promise
          },
          { locks: ['one thing', 'another'] },
        ),
      )
      await until(() => order.length > 0)
      assert.equal(await read('read meanwhile'), 'yes')
      await store.write(async (trx) => trx.selectFrom('setting').selectAll().execute(), { locks: ['something else'] })
      open.resolve()
      await Promise.all(writers)
      assert.deepEqual(
        order,
        writers.map((_, i) => i),
      )
    })

    test('opened again it has all that was there, and migrates nothing twice', async () => {
      await put('kept', 'yes')
      const second = await database.open()
      const row = await second.db.selectFrom('setting').select('value').where('key', '=', 'kept').executeTakeFirst()
      assert.equal(row?.value, 'yes')
      await second.close()
    })

    test('two that open a new database at once both get it', async () => {
      const fresh = await makeDatabase(engine)
      const outcomes = await Promise.all([openElsewhere(fresh), openElsewhere(fresh)])
      assert.deepEqual(outcomes, [0, 0])
      await fresh.drop()
    })

    test('a database that a newer version wrote is refused in one line and left alone', async () => {
      const fresh = await makeDatabase(engine)
      const first = await fresh.open()
      await first.write((trx) =>
        trx.insertInto('schema_migration').values({ number: 9999, name: 'future', hash: 'x', applied_at: 0 }).execute(),
      )
      await first.close()
      await assert.rejects(
        () => fresh.open(),
        (error) => error instanceof OperatorError && /newer Guildhall \(schema 9999/.test(error.message),
      )
      await fresh.drop()
    })

    test('a database made by an edited migration is refused', async () => {
      const fresh = await makeDatabase(engine)
      const first = await fresh.open()
      await first.write((trx) =>
        trx.updateTable('schema_migration').set({ hash: 'other' }).where('number', '=', 1).execute(),
      )
      await first.close()
      await assert.rejects(() => fresh.open(), /differs from the one this database was made with/)
      await fresh.drop()
    })
  })
}

/** Opens the database in a process of its own, as a second server would. */
async function openElsewhere({ folder, url }: TestDatabase): Promise<number | null> {
  const room = new URL('../../src/', import.meta.url)
  const script = url
    ? `import { openPostgres } from '${room}store/postgres/postgres.ts'
       import { makeLog } from '${room}lib/log.ts'
       await (await openPostgres('${url}', makeLog('silent'))).close()`
    : `import { openSqlite } from '${room}store/sqlite/sqlite.ts'
       await (await openSqlite('${folder}/guildhall.db')).close()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve) => child.on('exit', resolve))
}

test('a stray write through the reading side of SQLite fails', async () => {
  const database = await makeDatabase('sqlite')
  const store = await database.open()
  await assert.rejects(() => sql`delete from setting`.execute(store.db), /readonly/)
  await store.close()
  await database.drop()
})
