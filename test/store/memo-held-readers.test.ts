import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Store } from '../../src/store/store.ts'
import { until } from '../support/until.ts'

const { fdatasync } = fs
let isHeld = false
const held: (() => void)[] = []
fs.fdatasync = ((fd: number, done: fs.NoParamCallback) => {
  if (isHeld) held.push(() => fdatasync(fd, done))
  else fdatasync(fd, done)
}) as typeof fs.fdatasync
syncBuiltinESMExports()

// Loaded once syncs can be held.
const { makeMemo } = await import('../../src/store/memo.ts')
const { makeMigratedDatabase } = await import('../support/engines.ts')

test('while a commit is being synced and readers are held back, nothing is remembered as newer than it is', async () => {
  const database = await makeMigratedDatabase('sqlite')
  const store: Store = await database.open()
  const memo = makeMemo<{ readonly value: string }>(store, ['setting'], 10)
  const read = (key: string) =>
    memo(key, () => store.db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst())
  try {
    await store.write((trx) => trx.insertInto('setting').values({ key: 'a', value: 'before' }).execute())
    isHeld = true
    const written = store.write((trx) =>
      trx.updateTable('setting').set({ value: 'ours' }).where('key', '=', 'a').execute(),
    )
    await until(() => held.length > 0)
    // Committed, but not on disk: nobody is shown it yet.
    const version = store.version()!
    assert.equal((await read('a'))?.value, 'before')
    const other = new DatabaseSync(join(database.folder, 'guildhall.db'))
    other.exec("update setting set value = 'theirs' where key = 'a'; insert into setting values ('b', 'theirs')")
    other.close()
    assert.equal((await read('a'))?.value, 'before')
    assert.equal(await read('b'), undefined)
    assert.equal(store.version(), version)
    isHeld = false
    for (const sync of held.splice(0)) sync()
    await written
    assert.equal((await read('a'))?.value, 'theirs')
    assert.equal((await read('b'))?.value, 'theirs')
    assert.ok(store.version()! > version)
  } finally {
    await store.close()
    await database.drop()
  }
})
