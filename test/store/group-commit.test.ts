import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { makeDurability } from '../../src/store/sqlite/durability.ts'
import { makeGroupCommit } from '../../src/store/sqlite/group-commit.ts'
import { makeTableVersions } from '../../src/store/sqlite/table-versions.ts'

test('writes go on although what follows a commit fails', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-group-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'test.db')
  const connection = new DatabaseSync(path)
  connection.exec('pragma journal_mode = wal; create table kept (n integer)')
  const reading = new DatabaseSync(path, { readOnly: true })
  const { write, finish } = makeGroupCommit({
    connection,
    durability: makeDurability(path, reading),
    versions: makeTableVersions(connection, () => reading.isTransaction),
    noteCommit() {
      throw new Error('There is no thread to be had.')
    },
    deliver() {},
  })
  for (const n of [1, 2, 3]) await write((trx) => sql`insert into kept values (${n})`.execute(trx))
  await finish()
  assert.deepEqual(reading.prepare('select count(*) as n from kept').get()!.n, 3)
  reading.close()
  connection.close()
})
