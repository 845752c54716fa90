/** Files that arrive: what lies on the disk of those that are not kept yet is bounded by caller, and nothing stays of what comes to nothing. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeLfsClient, makeObject } from '../forge/lfs/lfs-client.ts'
import { makeUser, type RestClient, usualScopes } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const mebibyte = 1024 * 1024

describe('files that arrive', () => {
  let server: TestServer
  let ann: RestClient
  let assets: string
  before(async () => {
    const environment = { GUILDHALL_LIMITS: 'off', GUILDHALL_QUOTAS: 'arrivingMib=4,arrivingMibPerCaller=1' }
    server = await startServer('sqlite', { environment })
    ann = await makeUser(server, 'ann', usualScopes)
    await ann.post('/user/repos', { name: 'own', auto_init: true })
    const release = await ann.post('/repos/ann/own/releases', { tag_name: 'v1' })
    assets = `/repos/ann/own/releases/${release.body.id}/assets`
  })
  after(() => server.stop())

  const upload = async (name: string, bytes: Buffer) => {
    const response = await fetch(`${server.url}${assets}?name=${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(bytes),
    })
    return { status: response.status, text: await response.text() }
  }
  const isKept = (bytes: Buffer) => server.services.blobs.has(createHash('sha256').update(bytes).digest('hex'))

  test('are paid for as they come, as assets and as large files, and are free once they are kept or given up', async () => {
    const [asset, large] = [randomBytes(2 * mebibyte), makeObject(randomBytes(2 * mebibyte))]
    const lfs = makeLfsClient(server.url, 'ann/own', ann)
    const [refused, refusedLarge] = await Promise.all([upload('large', asset), lfs.put(large)])
    assert.deepEqual([refused.status, /too many unfinished uploads/.test(refused.text)], [403, true], refused.text)
    assert.deepEqual([refusedLarge.status, /too many unfinished uploads/.test(refusedLarge.body.message)], [403, true])
    assert.deepEqual([await isKept(asset), await isKept(large.bytes)], [false, false])
    const coming = join(server.services.settings.dataFolder, 'blobs', 'coming')
    await until(async () => (await readdir(coming)).length === 0)
    for (let i = 0; i < 3; i++) assert.equal((await upload(`fits-${i}`, randomBytes(mebibyte - 70_000))).status, 201)
    assert.match(await (await fetch(`${server.url}/metrics`)).text(), /^guildhall_arriving_bytes 0$/m)
  })

  test('that come to nothing once they are there are gone at once, and what others have sent stays', async () => {
    const [first, second] = [randomBytes(1_000), randomBytes(1_000)]
    assert.equal((await upload('twice', first)).status, 201)
    for (const bytes of [second, first]) assert.equal((await upload('twice', bytes)).status, 422)
    assert.deepEqual([await isKept(first), await isKept(second)], [true, false])
  })
})
