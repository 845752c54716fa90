/** A snapshot: reads that are all of one moment, while others write. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines, makeMigratedDatabase } from '../support/engines.ts'

for (const engine of engines) {
  test(`a snapshot of ${engine} shows one moment, however long it is read and whatever is written, and takes no write`, async (t) => {
    const database = await makeMigratedDatabase(engine)
    t.after(database.drop)
    const store = await database.open()
    t.after(() => store.close())
    const set = (value: string) =>
      store.write((trx) =>
        trx
          .insertInto('setting')
          .values({ key: 'seen', value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute(),
      )
    await set('before')
    const seen = await store.readSnapshot(async (db) => {
      const read = async () =>
        (await db.selectFrom('setting').select('value').where('key', '=', 'seen').executeTakeFirst())?.value
      const values = [await read()]
      await set('after')
      values.push(await read())
      return values
    })
    assert.deepEqual(seen, ['before', 'before'])
    await assert.rejects(
      store.readSnapshot((db) => db.insertInto('setting').values({ key: 'stray', value: '' }).execute()),
      /read-?only/i,
    )
    const { value } = await store.db
      .selectFrom('setting')
      .select('value')
      .where('key', '=', 'seen')
      .executeTakeFirstOrThrow()
    assert.equal(value, 'after')
  })
}
