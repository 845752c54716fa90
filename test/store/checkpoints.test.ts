import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { makeCheckpoints } from '../../src/store/sqlite/checkpoints.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

const mebibyte = 1024 * 1024

test('the log of a writer who never rests begins anew and again, and all that was written is there', async (t) => {
  const path = join(makeFolder(t), 'test.db')
  const store = await openSqlite(path)
  await store.write((trx) => trx.insertInto('setting').values({ key: 'place', value: '' }).execute())
  let longest = 0
  try {
    for (let i = 1; i <= 160; i++) {
      const value = String(i % 10).repeat(mebibyte)
      await store.write((trx) => trx.updateTable('setting').set({ value }).where('key', '=', 'place').execute())
      longest = Math.max(longest, statSync(`${path}-wal`).size)
    }
  } finally {
    await store.close()
  }
  assert.ok(longest > 8 * mebibyte, 'the writer did not move its log at each turn')
  assert.ok(longest < 80 * mebibyte, `the log grew to ${longest} bytes`)
  const again = new DatabaseSync(path, { readOnly: true })
  assert.equal(again.prepare("select value from setting where key = 'place'").get()!.value, '0'.repeat(mebibyte))
  again.close()
})

test('a thread that fails holds nobody up, and the next one is tried', async (t) => {
  const path = join(makeFolder(t), 'no-database')
  mkdirSync(path)
  writeFileSync(`${path}-wal`, Buffer.alloc(16 * mebibyte))
  const checkpoints = makeCheckpoints(path)
  for (let i = 0; i < 50; i++) await checkpoints.note()
  await checkpoints.close()
  for (let i = 0; i < 50; i++) await checkpoints.note()
  await checkpoints.close()
})

function makeFolder(t: { after(act: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-checkpoints-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
