import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { makeMemo } from '../../src/store/memo.ts'
import type { Store } from '../../src/store/store.ts'
import { makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'

type Setting = { readonly key: string; readonly value: string }

const put = (store: Store, key: string, value: string) =>
  store.write((trx) =>
    trx
      .insertInto('setting')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute(),
  )

/** A memo of settings, and how often it read. */
function watchSettings(store: Store, most = 100) {
  let reads = 0
  const memo = makeMemo<Setting>(store, ['setting'], most)
  const read = (key: string) =>
    memo(key, () => {
      reads++
      return store.db.selectFrom('setting').selectAll().where('key', '=', key).executeTakeFirst()
    })
  return { read, reads: () => reads }
}

describe('memo on SQLite', () => {
  let database: TestDatabase
  let store: Store
  before(async () => {
    database = await makeMigratedDatabase('sqlite')
    store = await database.open()
  })
  after(async () => {
    await store.close()
    await database.drop()
  })

  /** Another connection: to SQLite it is what another process is. */
  function writeFromAfar(statement: string): void {
    const other = new DatabaseSync(`${database.folder}/guildhall.db`)
    other.exec(statement)
    other.close()
  }

  test('what is asked for again is not read again until its table changes', async () => {
    await put(store, 'a', '1')
    const { read, reads } = watchSettings(store)
    assert.equal((await read('a'))?.value, '1')
    assert.equal((await read('a'))?.value, '1')
    assert.equal(reads(), 1)
    await store.write((trx) => trx.deleteFrom('session').execute())
    await store.write((trx) => trx.deleteFrom('job').where('id', '=', 0).execute())
    await read('a')
    assert.equal(reads(), 1)
    await put(store, 'a', '2')
    assert.equal((await read('a'))?.value, '2')
    await store.write((trx) => trx.deleteFrom('setting').where('key', '=', 'a').execute())
    assert.equal(await read('a'), undefined)
  })

  test('what another process commits is seen by the next look, without a wait', async () => {
    await put(store, 'b', '1')
    const { read } = watchSettings(store)
    const version = store.version()!
    for (let round = 0; round < 50; round++) {
      await read('b')
      writeFromAfar(`update setting set value = 'from afar ${round}' where key = 'b'`)
      assert.equal((await read('b'))?.value, `from afar ${round}`)
    }
    assert.ok(store.version()! > version)
  })

  test('a commit while the read goes on makes its answer old', async () => {
    await put(store, 'c', '1')
    const memo = makeMemo<Setting>(store, ['setting'], 10)
    const find = () => store.db.selectFrom('setting').selectAll().where('key', '=', 'c').executeTakeFirst()
    const during = await memo('c', async () => {
      const found = await find()
      await put(store, 'c', '2')
      return found
    })
    assert.equal(during?.value, '1')
    assert.equal((await memo('c', find))?.value, '2')
  })

  test('the version rises with every commit that changes something, and stays while nothing is committed', async () => {
    const first = store.version()!
    assert.equal(store.version(), first)
    await put(store, 'd', '1')
    const second = store.version()!
    assert.ok(second > first)
    await assert.rejects(
      store.write(async (trx) => {
        await trx.deleteFrom('setting').execute()
        throw new Error('changed my mind')
      }),
    )
    await put(store, 'd', '2')
    assert.ok(store.version()! > second)
  })

  test('a change by a trigger or by a cascade counts for the table that it changes', async () => {
    const tables = ['account', 'token', 'session', 'collaborator', 'organisation_member'] as const
    const before = tables.map((table) => store.tableVersion([table])!)
    await store.write((trx) => trx.deleteFrom('account').where('id', '=', -1).execute())
    tables.forEach((table, i) => {
      assert.ok(store.tableVersion([table])! > before[i]!, table)
    })
  })

  test('it holds no more than it may, and nothing of what is not there', async () => {
    const { read, reads } = watchSettings(store, 2)
    for (const key of ['e', 'f', 'g']) await put(store, key, key)
    for (const key of ['e', 'f', 'g', 'e']) await read(key)
    assert.equal(reads(), 4)
    await read('none')
    await read('none')
    assert.equal(reads(), 6)
  })
})

test('on PostgreSQL there is no version, and each time is read', async () => {
  const database = await makeMigratedDatabase('postgres')
  const store = await database.open()
  try {
    assert.equal(store.version(), undefined)
    assert.equal(store.tableVersion(['setting']), undefined)
    await put(store, 'a', '1')
    const { read, reads } = watchSettings(store)
    await read('a')
    assert.equal((await read('a'))?.value, '1')
    assert.equal(reads(), 2)
  } finally {
    await store.close()
    await database.drop()
  }
})
