/** `push` and `export` of the command line, against a running server and one that breaks off. */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { downloadItems } from '../../src/commands/dataset/download.ts'
import { makeProgress } from '../../src/commands/dataset/progress.ts'
import { makeRemote } from '../../src/commands/dataset/server.ts'
import { uploadItems } from '../../src/commands/dataset/upload.ts'
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

async function* cutUp(text: string, size: number) {
  const bytes = Buffer.from(text)
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

test('lines and arrays are pushed in batches, with progress', async () => {
  const remote = makeRemote(server.url, admin.token)
  const items = Array.from({ length: 2500 }, (_, i) => ({ i, text: 'ž'.repeat(i % 50) }))
  const lines = items.map((item) => `${JSON.stringify(item)}\n`).join('\n')
  for (const text of [lines, lines.trimEnd(), JSON.stringify(items, null, 1), ` ${JSON.stringify(items)}`]) {
    const id = await api.make()
    const screen = makeScreen()
    const done = await uploadItems(remote, id, cutUp(text, 7001), makeProgress(screen, 'pushed'))
    assert.equal(done.items, 2500)
    assert.equal(await api.text(id), JSON.stringify(items))
    assert.ok(screen.said.some((line) => /pushed [\d,]+ items, [\d.]+ kB/.test(line)))
  }
  const id = await api.make()
  await assert.rejects(
    uploadItems(remote, id, cutUp('{"a":1}\nnonsense\n', 5), makeProgress(makeScreen(), 'pushed')),
    /0 items are stored, .*Item 1 is not a JSON object/,
  )
  await assert.rejects(
    uploadItems(makeRemote(server.url, 'wrong'), id, cutUp('{}', 5), makeProgress(makeScreen(), 'pushed')),
    /token/,
  )
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
    /no such data set/,
  )
  await assert.rejects(makeRemote('http://127.0.0.1:1').send('GET', '/datasets'), /start it, or say with --server/)
})
