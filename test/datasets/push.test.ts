/** Pushes over the wire: in any type and encoding, whole or not at all, counted exactly, kept byte for byte. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { onEachEngine } from './api.ts'

onEachEngine('pushes', (world) => {
  test('pushes are counted exactly, concurrent ones too, and items keep their order', async () => {
    const { api } = world
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
    const { api } = world
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
    const { api } = world
    const id = await api.make()
    const text = JSON.stringify([{ a: 'x'.repeat(1000) }])
    const packed: [string, Buffer][] = [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['deflate', deflateRawSync(text)],
      ['br', brotliCompressSync(text)],
      ['identity', Buffer.from(text)],
      ['GZIP', gzipSync(text)],
      ['zstd', zstdCompressSync(text)],
    ]
    const push = (body: Buffer, headers: Record<string, string>) =>
      api.send('POST', `/datasets/${id}/items`, { body, headers })
    for (const [encoding, body] of packed)
      assert.equal(
        (await push(body, { 'content-encoding': encoding, 'content-type': 'text/html' })).status,
        201,
        encoding,
      )
    for (const type of ['json', ';;', '/', 'text/plain; charset=utf-16'])
      assert.equal((await push(Buffer.from('[]'), { 'content-type': type })).status, 201, type)
    assert.equal((await push(Buffer.from(text), { 'content-encoding': 'compress' })).status, 415)
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
    const over = await push(Buffer.from(`${exact} `), {})
    assert.equal(over.status, 413)
    assert.match(await over.text(), /push fewer items/)
    const huge = await push(Buffer.from(`[{"a":"${'x'.repeat(limit)}"},{}]`), {})
    assert.equal(huge.status, 413)
    assert.match(await huge.text(), /One item is over 9437184 bytes.*split it/)
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
    const { api } = world
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

  test('hostile names, addresses and shapes do no harm', async () => {
    const { api, nobody } = world
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
    const large = await api.send('HEAD', `/datasets/${bomb}/items?unwind=a&format=csv`)
    assert.equal(large.status, 200)
    assert.equal((await api.ask('GET', '/users/me')).status, 200)
  })
})
