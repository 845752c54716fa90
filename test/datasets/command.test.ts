/** `push` and `export` of the command line, against a running server and one that breaks off. */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { downloadItems } from '../../src/commands/dataset/download.ts'
import { makeProgress } from '../../src/commands/dataset/progress.ts'
import { readItems } from '../../src/commands/dataset/read-items.ts'
import { makeRemote, type Remote } from '../../src/commands/dataset/server.ts'
import { unpack } from '../../src/commands/dataset/source.ts'
import { uploadItems } from '../../src/commands/dataset/upload.ts'
import type { CsvOptions } from '../../src/datasets/items/csv-reading.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { type Api, makeApi } from './api.ts'

let server: TestServer
let api: Api
before(async () => {
  server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  api = makeApi(server)
})
after(() => server.stop())

function makeScreen() {
  const said: string[] = []
  return { said, isTTY: true, write: (text: string) => said.push(text) }
}

async function* cutUp(text: string | Buffer, size: number) {
  const bytes = Buffer.from(text as string)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function makeTarget() {
  const target = {
    bytes: Buffer.alloc(0),
    async write(part: Uint8Array) {
      target.bytes = Buffer.concat([target.bytes, part])
    },
    async restart() {
      target.bytes = Buffer.alloc(0)
    },
  }
  return target
}

const upload = (remote: Remote, dataset: string, text: string, screen = makeScreen(), csv: CsvOptions | null = null) =>
  uploadItems(
    remote,
    { dataset, name: 'file', keyBase: 'file', fraction: () => 0.5 },
    readItems(cutUp(text, Math.max(7001, text.length / 8)), 'file', csv),
    makeProgress(screen, 'pushed'),
  )

test('lines and arrays are pushed in batches, with progress', async () => {
  const remote = makeRemote(server.url, admin.token)
  const items = Array.from({ length: 2500 }, (_, i) => ({ i, text: 'ž'.repeat(i % 50), deep: [{ a: '],"{' }] }))
  const lines = items.map((item) => `${JSON.stringify(item)}\n`).join('\n')
  const texts = [lines, lines.trimEnd(), lines.replaceAll('\n', '\r\n'), `\ufeff${lines}`]
  const arrays = [JSON.stringify(items, null, 1), ` ${JSON.stringify(items)}`, `\ufeff${JSON.stringify(items)}\n`]
  for (const text of [...texts, ...arrays]) {
    const id = await api.make()
    const screen = makeScreen()
    const done = await upload(remote, id, text, screen)
    assert.deepEqual([done.items, done.storedBefore], [2500, 0])
    assert.equal(await api.text(id), JSON.stringify(items))
    assert.ok(screen.said.some((line) => /pushed 50 %, [\d,]+ items, [\d.]+ kB \([\d.]+ [kM]B\/s\)/.test(line)))
  }
  for (const empty of ['', '\n\n', '[]', ' [ ] \n'])
    assert.equal((await upload(remote, await api.make(), empty)).items, 0)
})

test('a bad line is named with its file, number and beginning, and the run after it doubles nothing', async () => {
  const remote = makeRemote(server.url, admin.token)
  const id = await api.make()
  const good = Array.from({ length: 2200 }, (_, i) => JSON.stringify({ i }))
  const bad = good.with(2100, '{"i": 2100, oops}')
  await assert.rejects(upload(remote, id, bad.join('\n')), {
    message:
      'file, line 2101: not valid JSON: expected a name in quotes. It begins: {"i": 2100, oops}\n 2,000 items before it are stored: run the same command again, which stores none twice.',
  })
  const { items, storedBefore } = await upload(remote, id, good.join('\n'))
  assert.deepEqual([items, storedBefore], [2200, 2000])
  assert.equal(await api.text(id), `[${good.join(',')}]`)
  const cases: [string, RegExp][] = [
    ['{"a":1}\nnonsense\n', /^file, line 2: .* begins: nonsense\n Nothing is stored\.$/],
    ['{"a":1}\n\n[{"b":1}]', /^file, line 3: not a JSON object\. It begins: \[\{"b":1\}\]/],
    ['{"a":1},{"b":2}\n', /^file, line 1: 2 items: put each on its own line/],
    ['{"a":1}}\n{{"b":2}', /^file, line 1: not valid JSON/],
    ['[{"a":1},\n\n7]', /^file, line 3: not a JSON object\. It begins: 7/],
    ['[{"a":1},,{}]', /line 1: a comma stands where an item should/],
    ['[{"a":1},{}', /the array is not closed/],
    [
      `{"a":1}\n{"b":"${'x'.repeat(9_437_184)}"}`,
      /line 2: this item has (?:over )?9,4\d\d,\d{3} bytes.*9,437,182 at most/,
    ],
  ]
  for (const [text, message] of cases) await assert.rejects(upload(remote, await api.make(), text), { message })
  await assert.rejects(upload(makeRemote(server.url, 'wrong'), id, '{}'), /token/)
  const strict = await api.make('strict', { schema: { fields: { type: 'object', required: ['a'] } } })
  await assert.rejects(
    upload(remote, strict, '{"a":1}\n\n{"b":1}'),
    /^OperatorError: file, line 3: .*It begins: \{"b":1\}/,
  )
})

test('rows of CSV are items, of text unless types are to be guessed', async () => {
  const remote = makeRemote(server.url, admin.token)
  const text = '\ufeffid,"na""me",n\r\n007,"a, b\nc",1.50\r\n\r\n8,,\r\n9'
  const shown = async (guessTypes: boolean) => {
    const id = await api.make()
    await upload(remote, id, text, makeScreen(), { delimiter: ',', guessTypes })
    return api.text(id)
  }
  assert.equal(
    await shown(false),
    '[{"id":"007","na\\"me":"a, b\\nc","n":"1.50"},{"id":"8","na\\"me":"","n":""},{"id":"9"}]',
  )
  assert.equal(
    await shown(true),
    '[{"id":"007","na\\"me":"a, b\\nc","n":1.50},{"id":8,"na\\"me":null,"n":null},{"id":9}]',
  )
  const cases: [string, RegExp][] = [
    ['a,b\n1,2,3', /file, line 2: the row has 3 cells, and there are 2 columns/],
    ['a,b\n"1\n2"x', /file, line 3: there is text after a closing quote/],
    ['a,b\n1,"2\n3', /file, line 2: a quote that opens here is never closed/],
    ['a,a', /line 1: two columns have the name "a"/],
    ['', /no row with the names/],
    [
      'a;b\n1;2',
      /file, line 1: ";" seems to stand between the names: say so with delimiter \(--delimiter ';' of the command\)/,
    ],
    ['a\tb\n1\t2', /line 1: "\\t" seems to stand between the names/],
  ]
  for (const [csv, message] of cases)
    await assert.rejects(
      upload(remote, await api.make(), csv, makeScreen(), { delimiter: ',', isAssumed: true, guessTypes: false }),
      message,
    )
  const id = await api.make()
  await upload(remote, id, 'a;b\n1;2', makeScreen(), { delimiter: ',', guessTypes: false })
  assert.equal(await api.text(id), '[{"a;b":"1;2"}]')
})

test('files are unpacked by what they hold, and broken ones are named', async () => {
  const text = Buffer.from('{"a":1}\n{"a":2}\n'.repeat(5_000))
  const read = async (bytes: Buffer, file: string) => {
    const parts: Buffer[] = []
    for await (const part of unpack(cutUp(bytes, 1000), file)) parts.push(part)
    return Buffer.concat(parts)
  }
  for (const [bytes, file] of [
    [text, 'a.jsonl'],
    [gzipSync(text), 'a.jsonl.gz'],
    [zstdCompressSync(text), 'a.jsonl.zst'],
    [gzipSync(text), '-'],
  ] as const)
    assert.ok((await read(bytes, file)).equals(text), file)
  assert.equal((await read(Buffer.from('{'), 'a.jsonl')).toString(), '{')
  await assert.rejects(read(gzipSync(text).subarray(0, 100), 'a.gz'), /a\.gz is broken: as gzip it ends or goes wrong/)
  await assert.rejects(read(zstdCompressSync(text).subarray(0, 50), 'a.zst'), /a\.zst is broken: as zstd/)
  await assert.rejects(read(text, 'a.gz'), /a\.gz is not gzip, though its name says so/)
})

test('a download goes on where its connection broke', async (t) => {
  const id = await api.make()
  await api.push(
    id,
    Array.from({ length: 3000 }, (_, i) => ({ i, text: 'x'.repeat(100) })),
  )
  let breaks = 0
  const flaky = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    request(`${server.url}${url}`, { method: method!, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      let isBroken = false
      answer.on('data', (chunk) => {
        if (isBroken) return
        if (method === 'GET' && breaks < 3) {
          breaks++
          isBroken = true
          outgoing.write(chunk, () => outgoing.destroy())
          answer.destroy()
        } else outgoing.write(chunk)
      })
      answer.on('end', () => outgoing.end())
      answer.on('error', () => {})
    }).end()
  })
  await new Promise<void>((resolve) => flaky.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    flaky.close()
    flaky.closeAllConnections()
  })
  const remote = makeRemote(`http://127.0.0.1:${(flaky.address() as AddressInfo).port}`, admin.token)
  for (const format of ['csv', 'json', 'xlsx']) {
    breaks = 0
    const target = makeTarget()
    const screen = makeScreen()
    const { items, bytes, resumed } = await downloadItems(
      remote,
      id,
      new URLSearchParams({ format }),
      target,
      (count) => makeProgress(screen, 'exported', count),
    )
    assert.deepEqual([items, resumed], [3000, 3])
    const whole = Buffer.from(await (await api.send('GET', `/datasets/${id}/items?format=${format}`)).arrayBuffer())
    assert.ok(target.bytes.equals(whole), format)
    assert.equal(bytes, whole.length)
  }
  await assert.rejects(
    downloadItems(makeRemote(server.url, admin.token), 'nothing', new URLSearchParams(), makeTarget(), () =>
      makeProgress(makeScreen(), 'x'),
    ),
    /There is no data set with the id nothing, .*: see dataset list\.$/,
  )
  await assert.rejects(makeRemote('http://127.0.0.1:1').send('GET', '/datasets'), /start it, or say with --server/)
})
