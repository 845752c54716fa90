/** A server that is killed while objects come keeps those that it answered for, and nothing of the others. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeMigratedDatabase } from '../../support/engines.ts'
import { makeRest } from '../../support/rest.ts'
import { admin } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'
import { makeLfsClient, makeObject } from './lfs-client.ts'

test('a server that is killed while objects come keeps what it answered for, and nothing of the rest', async (t) => {
  const database = await makeMigratedDatabase('sqlite')
  t.after(database.drop)
  const environment = {
    GUILDHALL_ADMIN_PASSWORD: admin.password,
    GUILDHALL_ADMIN_TOKEN: admin.token,
    GUILDHALL_LIMITS: 'off',
  }
  const coming = join(database.folder, 'blobs', 'coming')
  const first = await startServerProcess(database, environment)
  t.after(() => first.end())
  await makeRest(first.url, admin.token).post('/user/repos', { name: 'r' })
  const objects = Array.from({ length: 40 }, () => makeObject(randomBytes(50_000)))
  const half = makeObject(randomBytes(500_000))
  const socket = connect(Number(new URL(first.url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `PUT /admin/r.git/info/lfs/objects/${half.oid}/${half.size} HTTP/1.1\r\nhost: x\r\n` +
      `authorization: Bearer ${admin.token}\r\ncontent-length: ${half.size}\r\n\r\n`,
  )
  socket.write(half.bytes.subarray(0, 300_000))
  await until(async () => (await readdir(coming)).length > 0)
  const client = makeLfsClient(first.url, 'admin/r', admin)
  const answered = new Set<string>()
  const sending = Promise.allSettled(
    objects.map(async (object) => {
      if ((await client.put(object)).status === 200) answered.add(object.oid)
    }),
  )
  await until(() => answered.size >= 5)
  await Promise.all([first.end(), once(socket, 'close')])
  await sending
  const second = await startServerProcess(database, environment)
  t.after(() => second.end())
  const again = makeLfsClient(second.url, 'admin/r', admin)
  assert.deepEqual(await readdir(coming), [])
  for (const object of objects) {
    const { status, bytes } = await again.download(object)
    if (answered.has(object.oid)) assert.equal(status, 200)
    if (status === 200) assert.ok(bytes.equals(object.bytes))
    else assert.equal(status, 404)
  }
  assert.equal((await again.download(half)).status, 404)
  await assert.rejects(stat(join(database.folder, 'blobs', half.oid.slice(0, 2), half.oid)))
  for (const object of [...objects, half]) assert.equal(await again.upload(object), 200)
  assert.ok((await again.download(half)).bytes.equals(half.bytes))
})
