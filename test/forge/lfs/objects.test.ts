/** Objects of Git LFS: sent, fetched and refused, by the published protocol. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { oneEngine } from '../../support/engines.ts'
import type { RestClient } from '../../support/rest.ts'
import { startServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type GitServer, startGitServer } from '../git-server.ts'
import { type LfsObject, makeLfsClient, makeObject, mediaType } from './lfs-client.ts'

for (const engine of oneEngine)
  describe(`LFS objects on ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let { server, ann, bob, start, stop } = {} as GitServer
    before(async () => {
      const environment = { GUILDHALL_FILE_LIMITS: 'lfsMib=1,lfsBatch=3' }
      ;({ server, ann, bob, start, stop } = await startGitServer(engine, { clock, environment }))
    })
    after(() => stop())

    const make = async (name: string, more: object = {}, by = ann) =>
      assert.equal((await by.post('/user/repos', { name, ...more })).status, 201)
    const lfs = (fullName: string, by?: Pick<RestClient, 'token'>) => makeLfsClient(server.url, fullName, by)
    const pathOf = ({ oid }: LfsObject) => join(server.services.settings.dataFolder, 'blobs', oid.slice(0, 2), oid)
    const isThere = (object: LfsObject) =>
      stat(pathOf(object)).then(
        () => true,
        () => false,
      )
    const listComing = () => readdir(join(server.services.settings.dataFolder, 'blobs', 'coming'))

    test('are sent once, and fetched whole and in parts', async () => {
      await make('plain')
      const object = makeObject(randomBytes(200_000))
      const { oid, size, bytes } = object
      const client = lfs('ann/plain', ann)
      const planned = await client.batch('upload', [{ oid, size }], { ref: { name: 'refs/heads/main' } })
      assert.equal(planned.headers.get('content-type'), mediaType)
      const base = `${server.url}/ann/plain.git/info/lfs`
      assert.deepEqual(planned.body, {
        transfer: 'basic',
        objects: [
          {
            oid,
            size,
            actions: { upload: { href: `${base}/objects/${oid}/${size}` }, verify: { href: `${base}/verify` } },
          },
        ],
        hash_algo: 'sha256',
      })
      assert.equal((await client.ask('POST', '/verify', { oid, size })).status, 404)
      assert.equal(await client.upload(object), 200)
      assert.deepEqual((await client.batch('upload', [{ oid, size }])).body.objects, [{ oid, size }])
      const whole = await lfs('ann/plain').download(object)
      assert.ok(whole.status === 200 && whole.bytes.equals(bytes))
      assert.equal(whole.headers.get('content-type'), 'application/octet-stream')
      const part = await client.download(object, { range: 'bytes=1000-1999' })
      assert.ok(part.status === 206 && part.bytes.equals(bytes.subarray(1000, 2000)))
      assert.equal(part.headers.get('content-range'), `bytes 1000-1999/${size}`)
      const rest = await client.download(object, { range: `bytes=${size - 5}-`, 'if-range': `"${oid}"` })
      assert.ok(rest.status === 206 && rest.bytes.equals(bytes.subarray(-5)))
      assert.equal((await client.download(object, { range: 'bytes=0-9', 'if-range': '"another"' })).status, 200)
      const beyond = await client.download(object, { range: `bytes=${size}-` })
      assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${size}`])
      const head = await client.ask('HEAD', `/objects/${oid}`)
      assert.deepEqual([head.status, head.headers.get('content-length'), head.bytes.length], [200, String(size), 0])
      assert.equal((await client.ask('GET', `/objects/${oid}`, undefined, { 'if-none-match': `"${oid}"` })).status, 304)
      const empty = makeObject('')
      assert.equal(await client.upload(empty), 200)
      assert.deepEqual([(await client.download(empty)).status, (await client.download(empty)).bytes.length], [200, 0])
    })

    test('are refused one by one in a batch, and the rest of it is served', async () => {
      await make('mixed')
      const client = lfs('ann/mixed', ann)
      const object = makeObject('here')
      assert.equal(await client.upload(object), 200)
      const codes = async (operation: 'upload' | 'download', objects: object[]) =>
        (await client.batch(operation, objects)).body.objects.map(
          ({ error }: { error?: { code: number } }) => error?.code,
        )
      const { oid, size } = object
      const missing = makeObject('missing')
      assert.deepEqual(
        await codes('download', [
          { oid, size },
          { oid: missing.oid, size: 7 },
          { oid, size: 3 },
        ]),
        [undefined, 404, 422],
      )
      assert.deepEqual(
        await codes('download', [
          { oid: '12345678', size: 123 },
          { oid: oid.toUpperCase(), size },
        ]),
        [422, 422],
      )
      const large = { oid: missing.oid, size: 1024 * 1024 + 1 }
      assert.deepEqual(
        await codes('upload', [large, { oid: missing.oid, size: -1 }, { oid: missing.oid, size: 1.5 }]),
        [422, 422, 422],
      )
      assert.deepEqual(await codes('upload', [{ ...large, size: 1024 * 1024 }]), [undefined])
      await rm(pathOf(object))
      assert.deepEqual(await codes('download', [{ oid, size }]), [410], 'its file is lost')
      assert.equal((await client.ask('GET', `/objects/${oid}`)).status, 410)
      assert.equal(await client.upload(object), 200, 'and is mended by sending it again')
      assert.equal((await client.download(object)).status, 200)
    })

    test('are asked about in batches of a form and a size, and refused in LFS’s own words', async () => {
      await make('formal')
      const client = lfs('ann/formal', ann)
      const { oid } = makeObject('x')
      const asked = (count: number) => Array.from({ length: count }, () => ({ oid, size: 1 }))
      assert.equal((await client.batch('upload', asked(3))).status, 200)
      const many = await client.batch('upload', asked(4))
      assert.deepEqual([many.status, Object.keys(many.body)], [413, ['message', 'documentation_url', 'request_id']])
      assert.equal(many.headers.get('content-type'), mediaType)
      assert.deepEqual((await client.batch('download', [])).body.objects, [])
      const post = (body: unknown, headers?: Record<string, string>) =>
        client.ask('POST', '/objects/batch', body, headers)
      const objects = asked(1)
      const status = async (body: unknown, headers?: Record<string, string>) => (await post(body, headers)).status
      assert.equal(await status({ operation: 'download', objects, ref: null, transfers: null }), 200)
      assert.equal(await status({ operation: 'download', objects, hash_algo: 'sha512' }), 409)
      assert.equal(await status({ operation: 'download', objects, transfers: ['tus'] }), 422)
      assert.equal(await status({ operation: 'download', objects, transfers: ['tus', 'basic'] }), 200)
      assert.equal(await status({ operation: 'erase', objects }), 422)
      assert.equal(await status({ operation: 'upload' }), 422)
      assert.equal(await status({ operation: 'upload', objects: [{ oid: 1, size: 1 }] }), 422)
      assert.equal(await status('{"operation"'), 400)
      assert.equal(await status([]), 422)
      assert.equal(await status(`"${'x'.repeat(1024 * 1024)}"`), 413)
      assert.equal(await status({ operation: 'download', objects }, { accept: 'text/html' }), 406)
      assert.equal(
        await status({ operation: 'download', objects }, { accept: 'application/vnd.git-lfs+json; charset=utf-8' }),
        200,
      )
    })

    test('that are not what they were announced as leave nothing', async () => {
      await make('wrong')
      const client = lfs('ann/wrong', ann)
      const object = makeObject(randomBytes(1000))
      const { oid, size, bytes } = object
      const other = makeObject(randomBytes(1000))
      const put = async (path: string, body: Buffer) => (await client.ask('PUT', `/objects/${path}`, body)).status
      assert.equal(await put(`${oid}/${size}`, other.bytes), 422, 'another hash')
      assert.equal(await put(`${oid}/999`, bytes), 422, 'another size')
      assert.equal(await put(`${oid}/${2 ** 40}`, bytes), 422)
      assert.equal(await put(`${oid}/x`, bytes), 404)
      assert.equal(await put(`..%2f${oid}/${size}`, bytes), 404)
      assert.deepEqual([await isThere(object), await isThere(other), await listComing()], [false, false, []])
      assert.equal((await client.download(object)).status, 404)
      // A chunked body has no length to compare beforehand.
      const chunked = async (length: number) => {
        const { hostname, port } = new URL(server.url)
        const socket = connect(Number(port), hostname)
        socket.write(
          `PUT /ann/wrong.git/info/lfs/objects/${oid}/${size} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ann.token}\r\n` +
            'transfer-encoding: chunked\r\n\r\n',
        )
        socket.write(`${length.toString(16)}\r\n`)
        socket.write(Buffer.concat([bytes, bytes]).subarray(0, length))
        socket.write('\r\n0\r\n\r\n')
        const [first] = await socket.take(1).toArray()
        socket.destroy()
        return Number(/^HTTP\/1.1 (\d+)/.exec(String(first))![1])
      }
      assert.equal(await chunked(size - 1), 422)
      assert.equal(await chunked(size + 1), 413)
      assert.deepEqual([await isThere(object), await listComing()], [false, []])
      assert.equal(await chunked(size), 200)
      assert.equal((await client.download(object)).status, 200)
    })

    test('that break off leave nothing', async () => {
      await make('broken')
      const object = makeObject(randomBytes(100_000))
      const { hostname, port } = new URL(server.url)
      const socket = connect(Number(port), hostname)
      socket.write(
        `PUT /ann/broken.git/info/lfs/objects/${object.oid}/${object.size} HTTP/1.1\r\nhost: x\r\n` +
          `authorization: Bearer ${ann.token}\r\ncontent-length: ${object.size}\r\n\r\n`,
      )
      socket.write(object.bytes.subarray(0, 50_000))
      await until(async () => (await listComing()).length === 1)
      socket.destroy()
      await until(async () => (await listComing()).length === 0)
      assert.equal(await isThere(object), false)
      assert.equal((await lfs('ann/broken', ann).download(object)).status, 404)
    })

    test('that come twice at once are there once', async () => {
      await make('twice')
      const client = lfs('ann/twice', ann)
      const object = makeObject(randomBytes(300_000))
      const answers = await Promise.all(Array.from({ length: 6 }, () => client.put(object)))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.ok((await client.download(object)).bytes.equals(object.bytes))
      const rows = await server.services.store.db
        .selectFrom('lfs_object')
        .selectAll()
        .where('blob_hash', '=', object.oid)
        .execute()
      assert.equal(rows.length, 1)
    })

    test('are had through no repository that they were not sent to', async () => {
      await make('secret', { private: true })
      await make('mine', {}, bob)
      const object = makeObject(`a secret of ${engine}`)
      const { oid, size } = object
      assert.equal(await lfs('ann/secret', ann).upload(object), 200)
      const thief = lfs('bob/mine', bob)
      assert.equal((await thief.download(object)).status, 404)
      assert.equal((await thief.ask('GET', `/objects/${oid}`)).status, 404)
      assert.equal((await thief.ask('POST', '/verify', { oid, size })).status, 404)
      const planned = await thief.batch('upload', [{ oid, size }])
      assert.ok(planned.body.objects[0].actions.upload, 'it is to be sent, as if nobody had it')
      assert.equal((await thief.ask('PUT', `/objects/${oid}/${size}`, Buffer.alloc(size))).status, 422)
      assert.equal((await thief.download(object)).status, 404)
      assert.equal((await lfs('ann/secret', bob).download(object)).status, 404)
      assert.equal(await thief.upload(object), 200, 'who has it may send it')
      assert.ok((await thief.download(object)).bytes.equals(object.bytes))
    })

    test('go with the last repository that has them', async () => {
      const object = makeObject(`shared on ${engine}`)
      for (const name of ['one', 'two']) {
        await make(name)
        assert.equal(await lfs(`ann/${name}`, ann).upload(object), 200)
      }
      const { files } = server.services.forge
      await ann.delete('/repos/ann/one')
      await files.clean()
      assert.equal(await isThere(object), true)
      assert.equal((await lfs('ann/two', ann).download(object)).status, 200)
      await ann.delete('/repos/ann/two')
      await files.clean()
      assert.equal(await isThere(object), false)
    })

    test('are in a fork from its start, and what is sent to it stays there', async () => {
      await start('trunk')
      const [before, later] = [makeObject(`before ${engine}`), makeObject(`later ${engine}`)]
      assert.equal(await lfs('ann/trunk', ann).upload(before), 200)
      assert.equal((await bob.post('/repos/ann/trunk/forks')).status, 202)
      const fork = lfs('bob/trunk', bob)
      assert.ok((await fork.download(before)).bytes.equals(before.bytes))
      assert.equal(await fork.upload(later), 200)
      assert.equal((await lfs('ann/trunk', ann).download(later)).status, 404)
      await ann.delete('/repos/ann/trunk')
      await server.services.forge.files.clean()
      assert.equal((await fork.download(before)).status, 200)
    })

    test('are had by two servers that share a folder and a database', { skip: engine === 'sqlite' }, async () => {
      await make('both')
      const second = await startServer(engine, { database: server.database })
      try {
        const object = makeObject(randomBytes(50_000))
        const [here, there] = [lfs('ann/both', ann), makeLfsClient(second.url, 'ann/both', ann)]
        const answers = await Promise.all([here, there, here, there].map((client) => client.put(object)))
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200, 200],
        )
        assert.ok((await there.download(object)).bytes.equals(object.bytes))
        const second2 = makeObject(randomBytes(50_000))
        assert.equal(await there.upload(second2), 200)
        assert.ok((await here.download(second2)).bytes.equals(second2.bytes))
      } finally {
        await second.stop()
      }
    })
  })
