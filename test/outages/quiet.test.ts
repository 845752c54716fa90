/** A database that is away: a server that nobody asks anything waits for it quietly, and goes on by itself. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { interposeProxy, makeMigratedDatabase } from '../support/engines.ts'
import { type LogLines, makeLogLines } from '../support/log-lines.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

let database: Awaited<ReturnType<typeof interposeProxy>>
let server: TestServer
let lines: LogLines
before(async () => {
  database = await interposeProxy(await makeMigratedDatabase('postgres'))
  lines = makeLogLines()
  server = await startServer('postgres', { database, log: lines.log })
})
after(async () => {
  await server.stop()
  await database.drop()
})

test('an idle server whose PostgreSQL is stopped says so a few times, not without end', async () => {
  await database.proxy.refuse()
  // Each pause is twice the one before, so that the sixth try comes after six seconds: jobs are polled for every five.
  await lines.await(/signals still have no connection/, 6)
  assert.ok(lines.find(/jobs could not be looked for/).length > 0)
  assert.ok(lines.lines.length < 40, `${lines.lines.length} lines`)
  await database.proxy.resume()
  await lines.await(/signals are heard again/)
})

test('jobs go on when it is back, without waiting for their next round', async () => {
  const { jobs, store } = server.services
  const done = Promise.withResolvers<void>()
  jobs.define('test.after-outage', async () => done.resolve())
  await database.proxy.refuse()
  await lines.await(/jobs could not be looked for/, lines.find(/jobs could not be looked for/).length + 1)
  await database.proxy.resume()
  for (;;) {
    try {
      await store.write((trx) => jobs.enqueue(trx, 'test.after-outage', {}))
      break
    } catch {
      await fetch(`${server.url}/readyz`)
    }
  }
  await done.promise
})

test('requests that fail for the same reason are a line now and then, which says how many', async () => {
  await database.proxy.refuse()
  const before = lines.lines.length
  const headers = { authorization: `Bearer ${admin.token}` }
  for (let i = 0; i < 60; i++) assert.equal((await fetch(`${server.url}/user`, { headers })).status, 503)
  const told = lines.lines.slice(before).filter(({ msg }) => /could not be served/.test(msg))
  assert.ok(told.length >= 1 && told.length < 20, `${told.length} lines`)
  await database.proxy.resume()
})
