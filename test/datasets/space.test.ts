/** What is deleted is gone: from backups at once, and from the disk soon, while the server goes on. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Snapshot } from '../../src/store/dump/dump.ts'
import { openPostgresSnapshot } from '../../src/store/postgres/dump.ts'
import { openSqliteSnapshot } from '../../src/store/sqlite/dump.ts'
import type { TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { onEachEngine } from './api.ts'

async function measureSpace({ database, services }: TestServer): Promise<number> {
  if (!database.url) return statSync(join(database.folder, 'guildhall.db')).size
  const { rows } = await sql<{ size: number }>`select pg_total_relation_size('dataset_chunk')::float as size`.execute(
    services.store.db,
  )
  return rows[0]!.size
}

async function holdsText(snapshot: Snapshot, text: string): Promise<boolean> {
  let isHeld = false
  for (const table of snapshot.head.tables)
    for await (const piece of snapshot.rows(table)) isHeld ||= piece.includes(text)
  await snapshot.close()
  return isHeld
}

onEachEngine('space', (world) => {
  const openSnapshot = async () => {
    const { folder, url } = world.server.database
    return url ? openPostgresSnapshot(url) : openSqliteSnapshot(join(folder, 'guildhall.db'))
  }

  test('a deleted data set gives its space back, and the server answers meanwhile', async () => {
    const { api, server } = world
    const kept = await api.make('kept')
    await api.push(kept, [{ kept: true }])
    const id = await api.make()
    // What a database can't pack.
    const draw = () => randomBytes(30_000).toString('base64')
    for (let i = 0; i < 8; i++) {
      const items = Array.from({ length: 80 }, () => ({ text: draw() }))
      await api.push(id, items)
    }
    await server.services.datasets.settle()
    // SQLite's file grows with what is moved there from its log, now and then.
    await server.services.store.reclaim('dataset_chunk')
    const before = await measureSpace(server)
    assert.ok(before > 20_000_000)
    assert.equal((await api.send('DELETE', `/datasets/${id}`)).status, 204)
    await until(async () => (await measureSpace(server)) < before / 4)
    assert.equal(await api.text(kept), '[{"kept":true}]')
  })

  test('space that somebody still reads is given back after them', async () => {
    const { api, server } = world
    const { folder, url } = server.database
    const id = await api.make()
    await api.push(
      id,
      Array.from({ length: 100 }, () => ({ text: randomBytes(60_000).toString('base64') })),
    )
    await server.services.datasets.settle()
    await server.services.store.reclaim('dataset_chunk')
    const before = await measureSpace(server)
    assert.ok(before > 6_000_000)
    // PostgreSQL gives back what no reader can need any more when it is asked the next time.
    const reader = url ? undefined : new DatabaseSync(join(folder, 'guildhall.db'), { readOnly: true })
    reader?.exec('begin')
    reader?.prepare('select count(*) from dataset').get()
    assert.equal((await api.send('DELETE', `/datasets/${id}`)).status, 204)
    const waiting = () => server.services.store.db.selectFrom('dataset_removal').selectAll().execute()
    await until(async () => (await waiting()).length === 0)
    await server.services.store.reclaim('dataset_chunk')
    if (reader) assert.ok((await measureSpace(server)) >= before)
    reader?.close()
    await until(async () => (await measureSpace(server)) < before - 5_000_000)
  })

  test('a data set that several empty at once is empty, and there for what is pushed then', async () => {
    const { api } = world
    const id = await api.make('emptied')
    await api.push(id, [{ a: 1 }])
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.send('DELETE', `/datasets/${id}/items`)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [204])
    await api.push(id, [{ a: 2 }])
    assert.equal(await api.text(id), '[{"a":2}]')
  })

  test('a change that was answered while the data set was emptied is kept', async () => {
    const { api } = world
    const id = await api.make('changed')
    for (let i = 0; i < 20; i++) {
      await api.push(id, [{ i }])
      const [, { status }] = await Promise.all([
        api.send('DELETE', `/datasets/${id}/items`),
        api.ask('PUT', `/datasets/${id}`, { title: `title ${i}` }),
      ])
      assert.equal(status, 200)
      assert.equal((await api.ask('GET', `/datasets/${id}`)).body.data.title, `title ${i}`)
    }
  })

  test('items of a deleted data set are in no backup, though they are not cleared away yet', async () => {
    const { api, server } = world
    const id = await api.make('alive')
    await api.push(id, [{ a: 'still-here' }])
    const lines = Buffer.from('{"a":"gone-for-good"}\n')
    const orphan = { dataset_id: 999_999, first_item: 0, item_count: 1, byte_count: lines.length, has_hidden: 0 }
    await server.services.store.write((trx) =>
      trx
        .insertInto('dataset_chunk')
        .values({ ...orphan, lines, summary: null })
        .execute(),
    )
    assert.equal(await holdsText(await openSnapshot(), 'still-here'), true)
    assert.equal(await holdsText(await openSnapshot(), 'gone-for-good'), false)
  })
})
