/** Every address of the data sets' wire, over both databases. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { engines } from '../support/engines.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { type Api, makeApi, makeOther } from './api.ts'

const members = [
  ...['accessedAt', 'cleanItemCount', 'consoleUrl', 'createdAt', 'fields', 'generalAccess', 'id', 'itemCount'],
  ...['itemsPublicUrl', 'modifiedAt', 'name', 'schema', 'stats', 'title', 'urlSigningSecretKey', 'userId', 'username'],
]

for (const engine of engines)
  describe(`data sets on ${engine}`, () => {
    let server: TestServer
    let api: Api
    let other: Api
    let nobody: Api

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      api = makeApi(server)
      other = await makeOther(server, 'other')
      nobody = makeApi(server, null)
    })
    after(() => server.stop())

    test('a data set is made once, found by id and by name, changed and removed', async () => {
      const made = await api.ask('POST', '/datasets?name=books')
      assert.equal(made.status, 201)
      const { data } = made.body
      assert.match(data.id, /^[A-Za-z0-9]{17}$/)
      assert.deepEqual(
        [data.name, data.username, data.itemCount, data.cleanItemCount, data.generalAccess, data.schema],
        ['books', 'admin', 0, 0, 'RESTRICTED', null],
      )
      assert.deepEqual(data.stats, { readCount: 0, writeCount: 0, storageBytes: 0 })
      assert.deepEqual(Object.keys(data).sort(), members)
      for (const time of ['createdAt', 'modifiedAt', 'accessedAt']) assert.match(data[time], /^\d{4}-.*\.\d{3}Z$/)
      assert.equal(data.consoleUrl, `${server.url}/-/datasets/${data.id}`)
      const listed = (await api.ask('GET', '/datasets')).body.data.items[0]
      assert.deepEqual(
        Object.keys(listed).sort(),
        members.filter((name) => name !== 'fields'),
      )
      const again = await api.ask('POST', '/datasets?name=books', { schema: { fields: {} } })
      assert.deepEqual([again.status, again.body.data.id, again.body.data.schema], [200, data.id, null])
      for (const path of [data.id, 'admin~books', 'ADMIN~books', '~books'])
        assert.equal((await api.ask('GET', `/datasets/${path}`)).body.data.id, data.id, path)
      for (const path of ['nothing', 'admin~Books', '~nothing', 'other~books', 'a~b~c', '~', 'admin~'])
        assert.deepEqual(
          (await api.ask('GET', `/datasets/${encodeURIComponent(path)}`)).body.error.type,
          'record-not-found',
          path,
        )

      const changed = await api.ask('PUT', '/datasets/~books', {
        name: 'tomes',
        title: 'Tomes',
        generalAccess: 'ANYONE_WITH_ID_CAN_READ',
        colour: 1,
      })
      assert.deepEqual([changed.status, changed.body.data.name, changed.body.data.title], [200, 'tomes', 'Tomes'])
      await api.make('films')
      const taken = await api.ask('PUT', '/datasets/~tomes', { name: 'films' })
      assert.deepEqual([taken.status, taken.body.error.type], [409, 'name-not-unique'])
      for (const body of [{ name: '-x' }, { name: 5 }, { generalAccess: 'EVERYONE' }, { title: [] }])
        assert.equal(
          (await api.ask('PUT', '/datasets/~tomes', body)).body.error.type,
          'invalid-value',
          JSON.stringify(body),
        )

      const removed = await api.send('DELETE', '/datasets/~tomes')
      assert.deepEqual([removed.status, await removed.text()], [204, ''])
      assert.equal((await api.ask('GET', `/datasets/${data.id}`)).status, 404)
      assert.equal((await api.ask('POST', `/datasets/${data.id}/items`, {})).status, 404)
      assert.equal((await api.ask('DELETE', `/datasets/${data.id}`)).status, 404)
    })

    test('names follow their rule; an empty one is none; an empty body of any type is fine', async () => {
      for (const name of ['a', 'A9', 'a-b', 'x'.repeat(63)])
        assert.equal((await api.ask('POST', `/datasets?name=${name}`)).status, 201, name)
      for (const name of ['-a', 'a-', 'a_b', 'a.b', 'x'.repeat(64), 'ž', '%20'])
        assert.equal(
          (await api.ask('POST', `/datasets?name=${encodeURIComponent(name)}`)).body.error.type,
          'invalid-value',
          name,
        )
      const empty = await api.send('POST', '/datasets?name=', { headers: { 'content-type': 'text/plain' }, body: '' })
      assert.equal(empty.status, 201)
      assert.equal(((await empty.json()) as { data: { name: null } }).data.name, null)
      assert.equal((await api.send('POST', '/datasets', { body: '{' })).status, 400)
    })

    test('the list shows the caller’s own: named ones, or all', async () => {
      const lister = await makeOther(server, 'lister')
      const ids = [await lister.make('one'), await lister.make(), await lister.make('two')]
      const list = async (query = '') => (await lister.ask('GET', `/datasets?${query}`)).body.data
      const named = await list()
      assert.deepEqual(
        { ...named, items: named.items.map(({ id }: { id: string }) => id) },
        { total: 2, offset: 0, limit: 1000, count: 2, desc: false, unnamed: false, items: [ids[0], ids[2]] },
      )
      const page = await list('unnamed=1&desc=true&offset=1&limit=1')
      assert.deepEqual([page.total, page.count, page.desc, page.items[0].id], [3, 1, true, ids[1]])
      assert.equal((await list('limit=5000')).limit, 1000)
      assert.equal((await lister.ask('GET', '/datasets?desc=yes')).body.error.type, 'invalid-value')
      assert.equal((await nobody.ask('GET', '/datasets')).body.error.type, 'token-not-provided')
    })

    test('pushes are counted exactly, concurrent ones too, and items keep their order', async () => {
      const id = await api.make()
      await api.push(id, { a: 1, '#h': 1 })
      await api.push(id, [])
      await Promise.all(Array.from({ length: 40 }, (_, i) => api.push(id, [{ i, n: 0 }, { '#only': i }, {}])))
      const { data } = (await api.ask('GET', `/datasets/${id}`)).body
      assert.deepEqual([data.itemCount, data.cleanItemCount, data.stats.writeCount], [121, 41, 42])
      assert.deepEqual(data.fields, ['a', '#h', 'i', 'n', '#only'])
      const items = JSON.parse(await api.text(id)) as { i?: number }[]
      assert.equal(items.length, 121)
      for (let at = 1; at < items.length; at += 3)
        assert.deepEqual(Object.keys({ ...items[at], ...items[at + 1], ...items[at + 2] }), ['i', 'n', '#only'])
      const tail = await api.send('HEAD', `/datasets/${id}/items?offset=120&limit=5`)
      assert.deepEqual(
        [tail.headers.get('x-data-pagination-count'), tail.headers.get('x-apify-pagination-total')],
        ['1', '121'],
      )
    })

    test('a push that is not whole leaves nothing', async () => {
      const id = await api.make()
      for (const [body, type] of [
        ['', 'invalid-json'],
        ['[{"a":1},', 'invalid-json'],
        ['[{"a":1},2]', 'invalid-value'],
        ['"x"', 'invalid-value'],
      ] as const) {
        const answer = await api.send('POST', `/datasets/${id}/items`, { body })
        assert.deepEqual(
          [answer.status, ((await answer.json()) as { error: { type: string } }).error.type],
          [400, type],
          body,
        )
      }
      const { body } = await api.ask('POST', `/datasets/${id}/items`, [{}, {}, 3])
      assert.equal(body.error.data.itemPosition, 2)
      assert.equal((await api.ask('GET', `/datasets/${id}`)).body.data.itemCount, 0)
    })

    test('bodies come in any type and encoding, and a bomb is stopped', async () => {
      const id = await api.make()
      const text = JSON.stringify([{ a: 'x'.repeat(1000) }])
      const packed: [string, Buffer][] = [
        ['gzip', gzipSync(text)],
        ['deflate', deflateSync(text)],
        ['deflate', deflateRawSync(text)],
        ['br', brotliCompressSync(text)],
        ['identity', Buffer.from(text)],
        ['GZIP', gzipSync(text)],
      ]
      const push = (body: Buffer, headers: Record<string, string>) =>
        api.send('POST', `/datasets/${id}/items`, { body, headers })
      for (const [encoding, body] of packed)
        assert.equal(
          (await push(body, { 'content-encoding': encoding, 'content-type': 'text/html' })).status,
          201,
          encoding,
        )
      assert.equal((await push(Buffer.from(text), { 'content-encoding': 'zstd' })).status, 415)
      assert.equal((await push(gzipSync(text), { 'content-encoding': 'gzip, gzip' })).status, 415)
      assert.equal((await push(Buffer.from(text), { 'content-encoding': 'gzip' })).status, 400)
      const bomb = gzipSync(Buffer.alloc(200_000_000, 0x20))
      const refused = await push(bomb, { 'content-encoding': 'gzip' })
      assert.deepEqual(
        [refused.status, ((await refused.json()) as { error: { type: string } }).error.type],
        [413, 'request-too-large'],
      )
      const limit = 9_437_184
      const exact = `{"a":"${'x'.repeat(limit - 8)}"}`
      assert.equal((await push(Buffer.from(exact), {})).status, 201)
      assert.equal((await push(Buffer.from(`${exact} `), {})).status, 413)
      // Packed, it is longer than it is: what counts is what comes out.
      const stored = (text: string) => gzipSync(text, { level: 0 })
      assert.equal((await push(stored(exact), { 'content-encoding': 'gzip' })).status, 201)
      assert.equal((await push(stored(`${exact} `), { 'content-encoding': 'gzip' })).status, 413)
      for (const [encoding, body] of [
        ['deflate', Buffer.from('x')],
        ['gzip', gzipSync(text).subarray(0, 30)],
        ['gzip', Buffer.concat([gzipSync(text), Buffer.from('more')])],
        ['br', brotliCompressSync(text).subarray(0, 9)],
      ] as const)
        assert.equal((await push(body, { 'content-encoding': encoding })).status, 400, encoding)
      assert.equal((await api.ask('GET', `/datasets/${id}`)).body.data.itemCount, packed.length + 2)
    })

    test('json and jsonl are the pushed bytes', async () => {
      const id = await api.make()
      const items = [
        '{"n":12345678901234567890123,"z":-0,"e":1e400,"f":1.50}',
        '{"b":1,"a":2,"b":3,"10":1,"2":2}',
        '{"__proto__":{"x":1},"s":"\\ud800\\u0041\\u0000"}',
      ]
      await api.push(id, ` [ ${items.join(' ,\n ')} ] `)
      assert.equal(await api.text(id), `[${items.join(',')}]`)
      assert.equal(await api.text(id, 'format=jsonl'), `${items.join('\n')}\n`)
      assert.equal(await api.text(id, 'desc=1&limit=2'), `[${items[2]},${items[1]}]`)
      assert.equal(await api.text(id, 'clean=1'), `[${items.join(',')}]`)
      assert.deepEqual((await api.ask('GET', `/datasets/${id}`)).body.data.fields, [
        'n',
        'z',
        'e',
        'f',
        'b',
        'a',
        '10',
        '2',
        '__proto__',
        's',
      ])
    })

    test('the headers of an export, and HEAD has the same', async () => {
      const id = await api.make('headers')
      await api.push(id, [{ a: 1 }, { a: 2 }, { a: 3 }])
      const types = {
        json: 'application/json',
        jsonl: 'application/jsonl',
        csv: 'text/csv',
        html: 'text/html',
        xml: 'application/xml',
        rss: 'application/rss+xml',
        xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      }
      for (const [format, type] of Object.entries(types)) {
        const path = `/datasets/${id}/items?format=${format}&offset=1&attachment=1&desc=1`
        const [get, head] = [await api.send('GET', path), await api.send('HEAD', path)]
        const { headers } = get
        assert.equal(headers.get('content-type')!.split(';')[0], type)
        assert.equal(headers.get('content-disposition'), `attachment; filename="headers.${format}"`)
        assert.equal(headers.get('x-content-type-options'), 'nosniff')
        for (const prefix of ['x-data-pagination', 'x-apify-pagination'])
          assert.deepEqual(
            ['offset', 'limit', 'count', 'total'].map((name) => headers.get(`${prefix}-${name}`)),
            ['1', '999999999999', '2', '3'],
          )
        assert.equal(headers.get('x-apify-pagination-desc'), 'true')
        assert.equal(await head.text(), '')
        for (const [name, value] of headers)
          if (!['date', 'connection', 'keep-alive', 'x-request-id'].includes(name))
            assert.equal(head.headers.get(name), value, name)
        await get.arrayBuffer()
      }
      const wide = await api.make()
      await api.push(wide, Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`c${i}`, i])))
      assert.equal(
        (await api.send('HEAD', `/datasets/${wide}/items?format=csv`)).headers.get('x-data-dropped-columns'),
        '500',
      )
    })

    test('an unchanged page is not sent twice, and a fixed one can be had in parts', async () => {
      const id = await api.make()
      await api.push(
        id,
        Array.from({ length: 50 }, (_, i) => ({ i, text: 'ž'.repeat(i) })),
      )
      const path = `/datasets/${id}/items?limit=40`
      const get = (query: string, headers: Record<string, string> = {}) =>
        api.send('GET', `${path}${query}`, { headers })
      for (const format of ['json', 'jsonl', 'csv']) {
        const whole = await get(`&format=${format}`)
        const bytes = Buffer.from(await whole.arrayBuffer())
        const etag = whole.headers.get('etag')!
        assert.match(etag, /^"[\w-]+"$/)
        assert.equal(whole.headers.get('accept-ranges'), 'bytes')
        assert.equal((await get(`&format=${format}`, { 'if-none-match': `"x", ${etag}` })).status, 304)
        for (const [range, start, end] of [
          ['bytes=0-9', 0, 10],
          ['bytes=100-', 100, bytes.length],
          ['bytes=-7', bytes.length - 7, bytes.length],
          ['bytes=5-999999', 5, bytes.length],
        ] as const) {
          const part = await get(`&format=${format}`, { range, 'if-range': etag })
          assert.equal(part.status, 206)
          assert.equal(part.headers.get('content-range'), `bytes ${start}-${end - 1}/${bytes.length}`)
          assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(start, end))
        }
        assert.equal((await get(`&format=${format}`, { range: 'bytes=0-9', 'if-range': '"other"' })).status, 200)
        const beyond = await get(`&format=${format}`, { range: `bytes=${bytes.length}-` })
        assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${bytes.length}`])
        assert.equal(((await beyond.json()) as { error: { type: string } }).error.type, 'range-not-satisfiable')
        assert.equal((await get(`&format=${format}`, { range: 'bytes=-0' })).status, 416)
        for (const range of ['bytes=9-5', 'bytes=x', 'lines=0-1', 'bytes=-'])
          assert.equal((await get(`&format=${format}`, { range })).status, 200, range)
        assert.equal((await get(`&format=${format}`, { range: 'bytes=0-9', 'if-range': `W/${etag}` })).status, 200)
        assert.equal((await get(`&format=${format}`, { 'if-none-match': `W/${etag}` })).status, 304)
        assert.equal((await get(`&format=${format}`, { range: 'bytes=1-2,5-6' })).status, 200)
        await api.push(id, { more: 1 })
        assert.equal((await get(`&format=${format}`)).headers.get('etag'), etag)
      }
      const open = await api.send('GET', `/datasets/${id}/items`, { headers: { range: 'bytes=0-1' } })
      assert.deepEqual([open.status, open.headers.get('accept-ranges')], [200, null])
      const before = open.headers.get('etag')
      await api.push(id, { more: 1 })
      assert.notEqual((await api.send('HEAD', `/datasets/${id}/items`)).headers.get('etag'), before)
    })

    test('statistics are exact at once', async () => {
      const id = await api.make()
      assert.deepEqual((await api.ask('GET', `/datasets/${id}/statistics`)).body, { data: { fieldStatistics: {} } })
      await api.push(
        id,
        '[{"n":12345678901234567889,"s":"abc","b":true,"o":{"x":1,"y":2},"l":[1],"#h":-1.5},{"n":null,"s":"","b":false,"o":{},"l":[]},{"n":12345678901234567890},{"n":5}]',
      )
      const response = await api.send('GET', `/datasets/${id}/statistics`)
      const text = await response.text()
      assert.ok(text.includes('"max":12345678901234567890'))
      assert.deepEqual(JSON.parse(text).data.fieldStatistics, {
        n: { min: 5, max: Number('12345678901234567890'), nullCount: 1, emptyCount: 0 },
        s: { min: 0, max: 3, nullCount: 0, emptyCount: 2 },
        b: { min: 0, max: 1, nullCount: 0, emptyCount: 2 },
        o: { min: 0, max: 2, nullCount: 0, emptyCount: 2 },
        l: { min: 0, max: 1, nullCount: 0, emptyCount: 2 },
        '#h': { min: -1.5, max: -1.5, nullCount: 0, emptyCount: 3 },
      })
    })

    test('a schema refuses items that do not fit, and has views', async () => {
      const fields = {
        type: 'object',
        properties: { a: { type: 'number' }, when: { type: 'string', format: 'date' } },
        required: ['a'],
      }
      const schema = { actorSpecification: 1, fields, views: { v: { transformation: { fields: ['b', 'a'] } } } }
      const id = await api.make(undefined, { schema })
      await api.push(id, [{ a: 1, b: 2, c: 3 }])
      const { status, body } = await api.ask('POST', `/datasets/${id}/items`, [{ a: 1 }, { a: 'x' }, { when: 'never' }])
      assert.deepEqual([status, body.error.type], [400, 'schema-validation-error'])
      assert.deepEqual(
        body.error.data.invalidItems.map(({ itemPosition }: { itemPosition: number }) => itemPosition),
        [1, 2],
      )
      assert.equal((await api.ask('GET', `/datasets/${id}`)).body.data.itemCount, 1)
      assert.equal(await api.text(id, 'view=v'), '[{"b":2,"a":1}]')
      assert.equal(JSON.parse(await api.text(id, 'view=w')).error.type, 'requested-dataset-view-does-not-exist')
      const bad = await api.ask('POST', '/datasets', { schema: { fields: { type: 'nonsense' } } })
      assert.deepEqual([bad.status, bad.body.error.type], [400, 'invalid-value'])
      assert.equal((await api.ask('POST', '/datasets', { schema: 5 })).status, 400)
    })

    test('who may do what', async () => {
      const id = await api.make('shared')
      await api.push(id, { a: 1 })
      const answers = async (who: Api, path: string) => {
        const read = await who.ask('GET', `/datasets/${path}`)
        const items = await who.send('GET', `/datasets/${path}/items`)
        await items.text()
        const statistics = await who.ask('GET', `/datasets/${path}/statistics`)
        const writes = [
          await who.ask('POST', `/datasets/${path}/items`, []),
          await who.ask('PUT', `/datasets/${path}`, {}),
          ...(who === api ? [] : [await who.ask('DELETE', `/datasets/${path}`)]),
        ]
        assert.deepEqual(new Set(writes.map(({ status }) => Math.floor(status / 100))).size, 1)
        assert.equal(statistics.status, items.status)
        return [read.status, items.status, writes[0]!.status]
      }
      const table: [string, Record<string, number[]>][] = [
        [
          'RESTRICTED',
          {
            owner: [200, 200, 201],
            otherById: [403, 403, 403],
            nobodyById: [401, 401, 401],
            otherByName: [403, 403, 403],
            nobodyByName: [401, 401, 401],
          },
        ],
        [
          'FOLLOW_USER_SETTING',
          {
            owner: [200, 200, 201],
            otherById: [403, 403, 403],
            nobodyById: [401, 401, 401],
            otherByName: [403, 403, 403],
            nobodyByName: [401, 401, 401],
          },
        ],
        [
          'ANYONE_WITH_ID_CAN_READ',
          {
            owner: [200, 200, 201],
            otherById: [200, 200, 403],
            nobodyById: [200, 200, 401],
            otherByName: [403, 403, 403],
            nobodyByName: [401, 401, 401],
          },
        ],
        [
          'ANYONE_WITH_NAME_CAN_READ',
          {
            owner: [200, 200, 201],
            otherById: [200, 200, 403],
            nobodyById: [200, 200, 401],
            otherByName: [200, 200, 403],
            nobodyByName: [200, 200, 401],
          },
        ],
      ]
      for (const [generalAccess, row] of table) {
        await api.ask('PUT', `/datasets/${id}`, { generalAccess })
        const found = {
          owner: await answers(api, id),
          otherById: await answers(other, id),
          nobodyById: await answers(nobody, id),
          otherByName: await answers(other, 'admin~shared'),
          nobodyByName: await answers(nobody, 'admin~shared'),
        }
        assert.deepEqual(found, row, generalAccess)
      }
      const seen = (await other.ask('GET', `/datasets/${id}`)).body.data
      assert.deepEqual([seen.urlSigningSecretKey, seen.itemsPublicUrl], [undefined, undefined])
      assert.equal((await nobody.ask('GET', '/datasets/~shared')).body.error.type, 'token-not-provided')
      assert.equal((await other.ask('PUT', `/datasets/${id}`, {})).body.error.type, 'insufficient-permissions')
      assert.equal((await makeApi(server, 'wrong').ask('GET', `/datasets/${id}`)).body.error.type, 'invalid-token')
      assert.equal((await nobody.ask('GET', `/datasets/${id}?token=wrong`)).status, 401)
      assert.equal((await nobody.ask('GET', `/datasets/~shared?token=${api.token}`)).status, 200)
    })

    test('a signature opens the items and nothing else', async () => {
      const id = await api.make()
      await api.push(id, { a: 1 })
      const { itemsPublicUrl } = (await api.ask('GET', `/datasets/${id}`)).body.data
      const signature = new URL(itemsPublicUrl).searchParams.get('signature')
      assert.equal(await (await fetch(itemsPublicUrl)).text(), '[{"a":1}]')
      assert.equal((await nobody.ask('GET', `/datasets/${id}?signature=${signature}`)).status, 401)
      assert.equal((await nobody.ask('GET', `/datasets/${id}/statistics?signature=${signature}`)).status, 401)
      const another = await api.make()
      for (const [path, given] of [
        [another, signature],
        [id, `${signature}x`],
        [id, 'AAAA'],
        [id, Buffer.from('0.1.abc').toString('base64url')],
      ]) {
        const { status, body } = await nobody.ask('GET', `/datasets/${path}/items?signature=${given}`)
        assert.deepEqual([status, body.error.type], [403, 'invalid-signature'])
      }
      assert.equal((await api.ask('GET', `/datasets/${id}/items?signature=bad`)).status, 200)
    })

    test('users, methods, pages of other origins, and what is not there', async () => {
      const me = await api.ask('GET', '/users/me')
      assert.deepEqual([me.body.data.username, me.status], ['admin', 200])
      assert.equal((await nobody.ask('GET', `/users/${me.body.data.id}`)).body.data.username, 'admin')
      assert.equal((await nobody.ask('GET', '/users/other')).body.data.username, 'other')
      assert.equal((await nobody.ask('GET', '/users/me')).status, 401)
      assert.equal((await nobody.ask('GET', '/users/nobody')).status, 404)
      const id = await api.make()
      const refused = await api.send('PATCH', `/datasets/${id}`)
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD, PUT, DELETE'])
      assert.equal(((await refused.json()) as { error: { type: string } }).error.type, 'method-not-allowed')
      const preflight = await nobody.send('OPTIONS', `/datasets/${id}/items`, {
        headers: { origin: 'https://example.com' },
      })
      assert.equal(preflight.status, 204)
      assert.equal(preflight.headers.get('access-control-allow-headers'), 'Authorization, *')
      const page = await api.send('GET', `/datasets/${id}/items`)
      assert.equal(page.headers.get('access-control-allow-origin'), '*')
      assert.equal(page.headers.get('access-control-allow-credentials'), null)
      assert.match(page.headers.get('access-control-expose-headers')!, /X-Apify-Pagination-Total/)
      assert.deepEqual((await api.ask('GET', '/nothing')).body.error.type, 'record-not-found')
      for (const [method, path] of [
        ['GET', '/nothing'],
        ['GET', `/datasets/${id}`],
        ['PATCH', `/datasets/${id}`],
        ['OPTIONS', `/datasets/${id}`],
        ['DELETE', `/datasets/${id}`],
        ['GET', '/datasets/%ZZ'],
      ] as const)
        assert.equal((await api.send(method, path)).headers.get('x-content-type-options'), 'nosniff', path)
    })

    test('hostile names, addresses and shapes do no harm', async () => {
      for (const path of [
        '/datasets/a%00b',
        '/datasets/~a%00b',
        '/datasets/%00~b',
        '/users/a%00b',
        '/datasets/%ED%A0%80',
      ])
        assert.ok([400, 404].includes((await nobody.send('GET', path, {})).status) || path.includes('~'), path)
      assert.equal((await api.ask('GET', '/datasets/~a%00b')).status, 404)
      const id = await api.make()
      const many = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`k${i}`, 0]))
      await api.push(id, [many, { 'nul\u0000': '\u0000', [`long${'x'.repeat(100_000)}`]: 1 }, { '#\ud800': 1 }])
      const { data } = (await api.ask('GET', `/datasets/${id}`)).body
      assert.deepEqual([data.itemCount, data.cleanItemCount, data.fields.length], [3, 2, 10_000])
      assert.equal(
        (await api.send('HEAD', `/datasets/${id}/items?format=csv`)).headers.get('x-data-dropped-columns'),
        '10003',
      )
      const bomb = await api.make()
      await api.push(bomb, { a: new Array(2500).fill(1), b: 'x'.repeat(60_000) })
      const broken = await api.send('GET', `/datasets/${bomb}/items?unwind=a&format=csv`)
      assert.equal(broken.status, 500)
      assert.equal((await api.ask('GET', '/users/me')).status, 200)
    })

    test('a cookie counts only from the page itself', async () => {
      const params = { AccountName: admin.name, Password: admin.password }
      const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'create_session', params })
      const signIn = await fetch(`${server.url}/`, { method: 'POST', body })
      const cookie = signIn.headers.get('set-cookie')!.split(';')[0]!
      const list = (headers: Record<string, string>) =>
        nobody.send('GET', '/datasets', { headers: { cookie, ...headers } })
      assert.equal((await list({ origin: server.url })).status, 200)
      assert.equal((await list({ origin: 'https://example.com' })).status, 401)
    })
  })
