/** A look at a database before it is opened: whenever its connection is cut, it answers or says in one line why not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { OperatorError } from '../../src/lib/failure.ts'
import { probeStore } from '../../src/store/open-store.ts'
import { makeDatabase } from '../support/engines.ts'

test('a connection that is cut while it is looked at ends no process', async () => {
  const database = await makeDatabase('postgres')
  const other = new pg.Client(database.url)
  await other.connect()
  let isOver = false
  const cutting = (async () => {
    while (!isOver)
      await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
  })()
  let refused = 0
  for (let round = 0; round < 60; round++)
    await probeStore({ databaseUrl: database.url, dataFolder: database.folder }).catch((error) => {
      assert.ok(error instanceof OperatorError, String(error))
      refused++
    })
  isOver = true
  await cutting
  await other.end()
  await database.drop()
  assert.ok(refused > 0, 'no connection was cut in time')
})
