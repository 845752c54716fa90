/** Look-ups by an index in 1,000,000 items against 10,000 (`BENCH_ITEMS` says another number), and what an index costs a push. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { makeCorpus } from './datasets/corpus.ts'
import { pushAll, waitUntilJoined } from './datasets/push.ts'
import { adminToken, startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const many = Number(process.env.BENCH_ITEMS ?? 1_000_000)
const few = 10_000
const rounds = 3
const lookups = 200

/** Each asks for another item, so that no answer is one that was kept. */
const asked: [what: string, query: (i: number) => string][] = [
  ['one item by its time', (i) => `filter=${encodeURIComponent(`scrapedAt = "${timeOf((i * 7919) % few)}"`)}`],
  ['a range of ten', (i) => `filter=${encodeURIComponent(rangeFrom((i * 7919) % (few - 10)))}`],
  ['the 30 greatest, sorted', (i) => `sort=-scrapedAt&limit=30&offset=${i}`],
]
const timeOf = (i: number) => new Date(1_760_000_000_000 + i * 1000).toISOString()
const rangeFrom = (i: number) => `scrapedAt >= "${timeOf(i)}" and scrapedAt < "${timeOf(i + 10)}"`

export async function bench(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-'))
  const us = await startGuildhall({ GUILDHALL_LIMITS: 'off' })
  const ask = (path: string, init?: RequestInit) => {
    const mark = path.includes('?') ? '&' : '?'
    return fetch(`${us.url}/v2/datasets${path}${mark}token=${adminToken}`, init)
  }
  const pushInto = async (name: string, count: number): Promise<number> => {
    const corpus = await makeCorpus(join(folder, `${name}.jsonl`), count)
    return pushAll(`${us.url}/v2/datasets/~${name}/items?token=${adminToken}`, corpus.batches())
  }
  const make = (name: string) => ask(`?name=${name}`, { method: 'POST' })
  const setIndexes = (name: string, indexes: string[]) =>
    ask(`/~${name}`, { method: 'PUT', body: JSON.stringify({ indexes }) })

  async function untilIndexed(name: string): Promise<void> {
    for (;;) {
      type Shown = { data: { itemCount: number; indexes: { itemCount: number }[] } }
      const { data } = (await (await ask(`/~${name}`)).json()) as Shown
      if (data.indexes.every(({ itemCount }) => itemCount === data.itemCount)) return
      await setTimeout(200)
    }
  }

  /** The middle of the times, in milliseconds. */
  async function measure(name: string, query: (i: number) => string, round: number): Promise<number> {
    const times: number[] = []
    for (let i = 0; i < lookups; i++) {
      const start = performance.now()
      const answer = await ask(`/~${name}/items?${query(round * lookups + i)}`)
      const items = (await answer.json()) as unknown[]
      times.push(performance.now() - start)
      if (items.length === 0) throw new Error(`Nothing was found by ${query(i)}.`)
    }
    return times.sort((a, b) => a - b)[lookups / 2]!
  }

  try {
    const rows: Row[] = []
    const pushRatios: number[] = []
    for (let round = 0; round <= rounds; round++) {
      for (const name of [`plain-${round}`, `kept-${round}`]) await make(name)
      await setIndexes(`kept-${round}`, ['scrapedAt', 'price'])
      const plain = await pushInto(`plain-${round}`, 50_000)
      const kept = await pushInto(`kept-${round}`, 50_000)
      if (round > 0) pushRatios.push(kept / plain)
      for (const name of [`plain-${round}`, `kept-${round}`]) await ask(`/~${name}`, { method: 'DELETE' })
    }
    rows.push({ what: 'push with two indexes, time', against: 'without', ratios: pushRatios })
    for (const [name, count] of [
      ['few', few],
      ['many', many],
    ] as const) {
      await make(name)
      await pushInto(name, count)
    }
    await waitUntilJoined(us.folder)
    const start = performance.now()
    for (const name of ['few', 'many']) await setIndexes(name, ['scrapedAt'])
    await untilIndexed('many')
    const note = `${many.toLocaleString('en')} items indexed in ${Math.round((performance.now() - start) / 1000)} s`
    for (const [what, query] of asked) {
      for (const name of ['few', 'many']) await measure(name, query, rounds)
      const ratios: number[] = []
      for (let round = 0; round < rounds; round++) {
        const small = await measure('few', query, round)
        ratios.push((await measure('many', query, round)) / small)
      }
      rows.push({
        what: `${what}, time`,
        against: `in ${few.toLocaleString('en')}`,
        ratios,
        goal: { atMost: 1.5 },
        note,
      })
    }
    return rows
  } finally {
    await us.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
