/** Every address of the data sets’ wire, over both databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin } from '../support/server.ts'
import { makeApi, makeOther, onEachEngine } from './api.ts'

const members = [
  ...[
    'accessedAt',
    'cleanItemCount',
    'consoleUrl',
    'createdAt',
    'fields',
    'generalAccess',
    'id',
    'indexes',
    'itemCount',
  ],
  ...['itemsPublicUrl', 'modifiedAt', 'name', 'schema', 'stats', 'title', 'urlSigningSecretKey', 'userId', 'username'],
]

onEachEngine('data sets', (world) => {
  test('a data set is made once, found by id and by name, changed and removed', async () => {
    const { server, api } = world
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
    const shown = await fetch(data.consoleUrl, { headers: { authorization: `Bearer ${admin.token}` } })
    assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    const listed = (await api.ask('GET', '/datasets')).body.data.items[0]
    assert.deepEqual(
      Object.keys(listed).sort(),
      members.filter((name) => name !== 'fields' && name !== 'indexes'),
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
    const { api } = world
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
    const { server, nobody } = world
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

  test('the headers of an export, and HEAD has the same', async () => {
    const { api } = world
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
    // Those that are asked for count once, be they there or not.
    const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
    const drops = async (fields: string[]) =>
      (await api.send('HEAD', `/datasets/${wide}/items?format=csv&fields=${fields}`)).headers.get(
        'x-data-dropped-columns',
      )
    assert.equal(await drops(names('c', 2003)), '3')
    assert.equal(await drops(names('d', 2001)), '1')
    assert.equal(await drops([...names('c', 1999), ...names('d', 3)]), '2')
  })

  test('an unchanged page is not sent twice, and a fixed one can be had in parts', async () => {
    const { api } = world
    const id = await api.make()
    await api.push(
      id,
      Array.from({ length: 50 }, (_, i) => ({ i, text: 'ž'.repeat(i) })),
    )
    const path = `/datasets/${id}/items?limit=40`
    const get = (query: string, headers: Record<string, string> = {}) => api.send('GET', `${path}${query}`, { headers })
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
    assert.deepEqual([open.status, open.headers.get('accept-ranges')], [206, 'bytes'])
    const before = open.headers.get('etag')
    await api.push(id, { more: 1 })
    assert.notEqual((await api.send('HEAD', `/datasets/${id}/items`)).headers.get('etag'), before)
  })

  test('statistics are exact at once', async () => {
    const { api } = world
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
    const { api } = world
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
    for (const schema of [5, [], 'x', { fields: 5 }, { fields: [] }, { fields: { $ref: 'http://example.com/s' } }]) {
      const refused = await api.ask('POST', '/datasets', { schema })
      assert.deepEqual([refused.status, refused.body.error.type], [400, 'invalid-value'], JSON.stringify(schema))
    }
    const deep = (levels: number) => `{"schema":${'['.repeat(levels)}"]"${']'.repeat(levels)}}`
    for (const levels of [257, 100_000]) {
      const refused = await api.send('POST', '/datasets', {
        body: deep(levels).replace('"schema":', '"schema":{"x":').concat('}'),
      })
      assert.equal(refused.status, 400)
    }
    assert.equal((await api.send('POST', '/datasets', { body: Buffer.from('{"a":"\xff"}', 'latin1') })).status, 400)
    const makeProperties = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`property-number-${i}`, { type: 'string' }]))
    const views = { text: 'x'.repeat(5_000) }
    const long = await api.ask('POST', '/datasets?name=long', { schema: { views } })
    assert.deepEqual(long.body.data.schema, { views })
    const { items } = (await api.ask('GET', '/datasets')).body.data
    assert.equal('schema' in items.find((item: { name: string }) => item.name === 'long'), false)
    for (const [length, words] of [
      [9_999, /too large/],
      [20_000, /more than 10000 members/],
    ] as const) {
      const fields = { properties: makeProperties(length) }
      const large = await api.ask('POST', '/datasets', { schema: { fields } })
      assert.deepEqual([large.status, words.test(large.body.error.message)], [400, true], large.body.error.message)
    }
    const strict = await api.make(undefined, {
      schema: { fields: { properties: { l: { items: { type: 'string' } } } } },
    })
    const errors = async (items: string) => {
      const { status, body } = await api.ask('POST', `/datasets/${strict}/items`, JSON.parse(items))
      assert.equal(status, 400)
      const { invalidItems } = body.error.data as { invalidItems: { validationErrors: object[] }[] }
      return [invalidItems.length, invalidItems[0]!.validationErrors.length]
    }
    assert.deepEqual(await errors('{"l":[1,"a",2]}'), [1, 2])
    assert.deepEqual(await errors(`{"l":[${'1,'.repeat(1_000_000)}1]}`), [1, 1])
    assert.deepEqual(
      await errors(`[${'{"l":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]},'.repeat(150)}{}]`),
      [100, 20],
    )
    const promised = await api.make(undefined, { schema: { fields: { $async: true, required: ['a'] } } })
    assert.equal((await api.ask('POST', `/datasets/${promised}/items`, { b: 1 })).status, 400)
  })

  test('users, methods, pages of other origins, and what is not there', async () => {
    const { api, nobody } = world
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
    const foreign = await api.send('PROPFIND', `/datasets/${id}`)
    assert.deepEqual([foreign.status, foreign.headers.get('allow')], [405, 'GET, HEAD, PUT, DELETE'])
    await foreign.text()
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
    const stranger = makeApi(world.server, 'wrong')
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['PATCH', `/datasets/${id}`],
      ['GET', '/users/other'],
      ['GET', `/datasets/${id}/items?signature=x`],
    ] as const)
      assert.equal((await stranger.ask(method, path)).body.error.type, 'invalid-token', path)
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
})
