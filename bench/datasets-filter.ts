/** A filter over 100,000 items of about 290 bytes, beside DuckDB over the same lines. `BENCH_ITEMS=1000000` takes a million. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCorpus } from './datasets/corpus.ts'
import { download } from './datasets/download.ts'
import { selectByDuckDb } from './datasets/peers.ts'
import { pushAll, waitUntilJoined } from './datasets/push.ts'
import { adminToken, startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const itemCount = Number(process.env.BENCH_ITEMS ?? 100_000)
const rounds = 3

/** What is asked for, in both languages: few of many numbers, a text, and what a chunk's summary can rule out. */
const asked: [what: string, ours: string, theirs: string][] = [
  ['one item in 60', 'reviewCount > 1900', '"reviewCount" > 1900'],
  ['two conditions', 'currency = "CZK" and price < 1', `"currency" = 'CZK' and "price" < 1`],
  ['none', 'price > 1000', '"price" > 1000'],
]

export async function bench(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-'))
  const us = await startGuildhall({ GUILDHALL_LIMITS: 'off' })
  try {
    const corpus = await makeCorpus(join(folder, 'items.jsonl'), itemCount)
    const address = `${us.url}/v2/datasets/~filtered/items?token=${adminToken}`
    await fetch(`${us.url}/v2/datasets?name=filtered&token=${adminToken}`, { method: 'POST' })
    await pushAll(address, corpus.batches())
    await waitUntilJoined(us.folder)
    const rows: Row[] = []
    for (const [what, ours, theirs] of asked) {
      const ratios: number[] = []
      for (let round = 0; round < rounds; round++) {
        const query = `&format=jsonl&filter=${encodeURIComponent(ours)}`
        const mine = await download(address + query, join(folder, 'ours.jsonl'))
        ratios.push(mine.seconds / (await selectByDuckDb(corpus.path, theirs, join(folder, 'theirs.jsonl'))))
      }
      const note = `${itemCount.toLocaleString('en')} items`
      rows.push({
        what: `filter, ${what}, time`,
        against: 'DuckDB over the same JSONL',
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
