/** A server killed outright while items are pushed: what was answered is there exactly once, and counts agree with items. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { engines, makeDatabase, type TestDatabase } from '../support/engines.ts'
import { admin } from '../support/server.ts'
import { type Api, makeApi } from './api.ts'

const rounds = 3
const writers = 6

for (const engine of engines)
  test(`kill -9 loses no answered push and doubles none on ${engine}`, async (t) => {
    const database = await makeDatabase(engine)
    t.after(() => database.drop())
    let running = await start(database)
    t.after(() => running.child.kill('SIGKILL'))
    const id = await running.api.make('survivor')
    const answered = new Set<string>()
    const sent = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const { api, child } = running
      const pushing = Array.from({ length: writers }, (_, writer) =>
        pushUntilDead(api, id, `${round}.${writer}`, sent, answered),
      )
      const before = answered.size
      // Each round dies at another moment: while pushes are being stored, and, later on, while chunks are being joined.
      const enough = 40 + round * 60
      while (answered.size < before + enough) await new Promise((resolve) => setTimeout(resolve, 5))
      if (round % 2 === 1) await new Promise((resolve) => setTimeout(resolve, 450))
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      await Promise.all(pushing)
      running = await start(database)
      await checkWhole(running.api, id, answered, sent)
    }
    await new Promise((resolve) => setTimeout(resolve, 600))
    await checkWhole(running.api, id, answered, sent)
  })

async function pushUntilDead(
  api: Api,
  id: string,
  name: string,
  sent: Set<string>,
  answered: Set<string>,
): Promise<void> {
  for (let i = 0; ; i++) {
    const push = `${name}.${i}`
    sent.add(push)
    const items = Array.from({ length: 5 }, (_, part) => ({
      push,
      part,
      ...(part === 4 ? {} : { text: 'x'.repeat(200) }),
    }))
    try {
      await api.push(id, [...items, { '#push': push }])
      answered.add(push)
    } catch {
      return
    }
  }
}

/** Every push whole or absent, every answered one there, each once; the counts are those of the items. */
async function checkWhole(
  api: Api,
  id: string,
  answered: ReadonlySet<string>,
  sent: ReadonlySet<string>,
): Promise<void> {
  const items = JSON.parse(await api.text(id)) as { push?: string; part?: number; '#push'?: string }[]
  const { data } = (await api.ask('GET', `/datasets/${id}`)).body
  assert.deepEqual([data.itemCount, data.cleanItemCount], [items.length, (items.length / 6) * 5])
  assert.equal(data.stats.writeCount, items.length / 6)
  const stored = new Set<string>()
  for (let at = 0; at < items.length; at += 6) {
    const push = items[at]!.push!
    assert.ok(!stored.has(push) && sent.has(push), push)
    stored.add(push)
    for (let part = 0; part < 5; part++)
      assert.deepEqual([items[at + part]!.push, items[at + part]!.part], [push, part])
    assert.equal(items[at + 5]!['#push'], push)
  }
  for (const push of answered) assert.ok(stored.has(push), `${push} was answered and is gone`)
}

async function start(database: TestDatabase): Promise<{ api: Api; child: ChildProcess }> {
  const cli = join(import.meta.dirname, '..', '..', 'src', 'cli.ts')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', cli, 'serve'], {
    env: {
      ...process.env,
      GUILDHALL_PORT: '0',
      GUILDHALL_DATA: database.folder,
      GUILDHALL_EXECUTORS: '0',
      GUILDHALL_LIMITS: 'off',
      GUILDHALL_ADMIN_PASSWORD: admin.password,
      GUILDHALL_ADMIN_TOKEN: admin.token,
      ...(database.url && { DATABASE_URL: database.url }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let complaint = ''
  child.stderr!.on('data', (chunk) => {
    complaint += chunk
  })
  for await (const chunk of child.stdout!) {
    said += chunk
    const address = /http:\/\/[\w.]+:\d+/.exec(said)
    if (address) return { api: makeApi({ url: address[0].replace('localhost', '127.0.0.1') }), child }
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  throw new Error(`The server ended with ${child.exitCode ?? child.signalCode} before it listened: ${said}${complaint}`)
}
