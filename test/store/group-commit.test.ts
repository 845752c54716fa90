import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { makeGroupCommit } from '../../src/store/sqlite/group-commit.ts'
import { makeTableChanges } from '../../src/store/sqlite/table-changes.ts'

test('writes go on although what follows a commit fails', async () => {
  const connection = new DatabaseSync(':memory:')
  connection.exec('create table kept (n integer)')
  const fail = () => {
    throw new Error('There is no thread to be had.')
  }
  const { write, finish } = makeGroupCommit(connection, makeTableChanges(connection), fail, () => {})
  for (const n of [1, 2, 3]) await write((trx) => sql`insert into kept values (${n})`.execute(trx))
  await finish()
  assert.deepEqual(connection.prepare('select count(*) as n from kept').get()!.n, 3)
  connection.close()
})
