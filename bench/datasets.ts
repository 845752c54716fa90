/**
 * Data sets: 500,000 items of about 290 bytes, pushed and taken out, beside DuckDB, an xlsx writer, a file server and raw SQLite.
 * `--only=push,csv` measures some of it; what is measured is always pushed first.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Corpus, makeCorpus } from './datasets/corpus.ts'
import { download, watchMemory } from './datasets/download.ts'
import { burn, type Latency, measureLatency } from './datasets/latency.ts'
import { copyByDuckDb, insertIntoSqlite, startFileServer, writeByHucre } from './datasets/peers.ts'
import { pushAll, waitUntilJoined } from './datasets/push.ts'
import { compareRates, type Target } from './load.ts'
import { readOption } from './options.ts'
import { adminToken, type Peer, startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const itemCount = Number(process.env.BENCH_ITEMS ?? 500_000)
const rounds = 3
/** Of what raw SQLite does, which reads no request and checks nothing. */
const pushGoal = 0.45
const latencyMs = 2_500
const memoryGoalBytes = 150 * 1024 * 1024

type Heavy = Awaited<ReturnType<typeof startGuildhall>>

export async function bench(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-'))
  const corpus = await makeCorpus(join(folder, 'items.jsonl'), itemCount)
  const us = await startGuildhall({ GUILDHALL_LIMITS: 'off' })
  try {
    const { row, id } = await comparePushes(us, corpus, folder)
    const rows = [row]
    const address = (query: string) => `${us.url}/v2/datasets/${id}/items?token=${adminToken}&${query}`
    const parts: { [name: string]: () => Promise<Row[]> } = {
      csv: async () => [await compareCsv(address, corpus, folder)],
      xml: () => compareMarkup(address, corpus, folder),
      xlsx: async () => [await compareXlsx(address, corpus, folder)],
      jsonl: async () => [await compareJsonl(address, corpus, folder)],
      pages: async () => [await comparePages(address, itemCount)],
      latency: () => compareLatency(us, address, folder),
      memory: () => measureMemory(us, address, folder),
    }
    const only = readOption('only')?.split(',')
    for (const [name, measure] of Object.entries(parts))
      if (!only || only.includes(name)) rows.push(...(await measure()))
    return rows
  } finally {
    await us.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeDataset({ url }: Peer, name: string): Promise<string> {
  const response = await fetch(`${url}/v2/datasets?name=${name}&token=${adminToken}`, { method: 'POST' })
  return ((await response.json()) as { data: { id: string } }).data.id
}

/** Each round to a data set of its own; the last is the one that is taken out afterwards. The first is the warm-up. */
async function comparePushes(us: Heavy, corpus: Corpus, folder: string): Promise<{ row: Row; id: string }> {
  const ratios: number[] = []
  const rates: string[] = []
  let id = ''
  for (let round = 0; round <= rounds; round++) {
    id = await makeDataset(us, `bench-${round}`)
    const raw = await insertIntoSqlite(join(folder, `raw-${round}.db`), corpus.batches())
    const seconds = await pushAll(`${us.url}/v2/datasets/${id}/items?token=${adminToken}`, corpus.batches())
    await waitUntilJoined(us.folder)
    if (round === 0) continue
    ratios.push(raw / seconds)
    rates.push(Math.round(corpus.count / seconds).toLocaleString('en'))
  }
  const row: Row = {
    what: 'push, batches of 100, durable, speed',
    against: 'raw SQLite, a commit a batch',
    ratios,
    goal: { atLeast: pushGoal },
    note: `items a second: ${rates.join('; ')}`,
  }
  return { row, id }
}

type Address = (query: string) => string

async function compareCsv(address: Address, corpus: Corpus, folder: string): Promise<Row> {
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const theirs = await copyByDuckDb(corpus.path, join(folder, 'theirs.csv'))
    const ours = await download(address('format=csv'), join(folder, 'ours.csv'))
    ratios.push(ours.seconds / theirs)
  }
  return { what: 'csv, time', against: 'DuckDB COPY from JSONL', ratios, goal: { atMost: 0.7 }, note }
}

/** Nobody else makes such a file, so the yardstick is DuckDB's csv; the goal is half of what it was with text for each element. */
const markupGoal = 1.2

async function compareMarkup(address: Address, corpus: Corpus, folder: string): Promise<Row[]> {
  const ratios: { [format: string]: number[] } = { xml: [], rss: [] }
  for (let round = 0; round < rounds; round++) {
    const theirs = await copyByDuckDb(corpus.path, join(folder, 'theirs.csv'))
    for (const [format, some] of Object.entries(ratios))
      some.push((await download(address(`format=${format}`), join(folder, `ours.${format}`))).seconds / theirs)
  }
  return Object.entries(ratios).map(([format, some]) => ({
    what: `${format}, time`,
    against: 'DuckDB COPY from JSONL to csv',
    ratios: some,
    goal: { atMost: markupGoal },
    note,
  }))
}

async function compareXlsx(address: Address, corpus: Corpus, folder: string): Promise<Row> {
  const theirs = await writeByHucre(corpus.path, join(folder, 'theirs.xlsx'))
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++)
    ratios.push(theirs / (await download(address('format=xlsx'), join(folder, 'ours.xlsx'))).seconds)
  return { what: 'xlsx, speed', against: 'hucre, streaming', ratios, goal: { atLeast: 2.5 }, note }
}

async function compareJsonl(address: Address, corpus: Corpus, folder: string): Promise<Row> {
  const server = await startFileServer(corpus.path)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const theirs = await download(server.url, join(folder, 'theirs.jsonl'))
    const ours = await download(address('format=jsonl'), join(folder, 'ours.jsonl'))
    if (ours.bytes !== theirs.bytes) throw new Error(`${ours.bytes} bytes came out of ${theirs.bytes}.`)
    ratios.push(ours.seconds / theirs.seconds)
  }
  await server.stop()
  return { what: 'jsonl, time', against: 'a file from a bare Node server', ratios, goal: { atMost: 2 }, note }
}

async function comparePages(address: Address, count: number): Promise<Row> {
  const page = (offset: number): Target => ({ url: address(`limit=100&offset=${offset}`) })
  const ratios = await compareRates(page(0), page(count - 100), rounds)
  return { what: 'a page of 100 at the end, time', against: 'the same at offset 0', ratios, goal: { atMost: 1.2 } }
}

/** A small request at a fixed rate while exports run, against the same beside strangers who are as busy. */
async function compareLatency(us: Peer, address: Address, folder: string): Promise<Row[]> {
  const small = `${us.url}/v2/users/me?token=${adminToken}`
  const exported = ['csv', 'xlsx', 'jsonl'] as const
  const seen: { [what: string]: Latency }[] = []
  for (let round = 0; round < rounds; round++) {
    const latencies: { [what: string]: Latency } = {
      alone: await measureLatency(small, () => setTimeout(latencyMs)),
      beside: await measureLatency(small, () => burn(latencyMs)),
    }
    for (const format of exported)
      latencies[format] = await measureLatency(small, () => exportFor(latencyMs, address(`format=${format}`), folder))
    seen.push(latencies)
  }
  return exported.flatMap((format) =>
    (['median', 'p99'] as const).map((figure) => ({
      what: `a small request during ${format} exports, ${figure}`,
      against: 'the same beside strangers that keep all cores busy',
      ratios: seen.map((round) => round[format]![figure] / round.beside![figure]),
      // Of 250 requests the worst two decide the p99: the machine's own noise is in it.
      goal: { atMost: figure === 'median' ? 1.5 : 2 },
      note: `ms alone/beside/during: ${seen.map((round) => [round.alone!, round.beside!, round[format]!].map((each) => each[figure].toFixed(1)).join('/')).join(', ')}`,
    })),
  )
}

async function exportFor(ms: number, url: string, folder: string): Promise<void> {
  for (const start = performance.now(); performance.now() - start < ms; ) await download(url, join(folder, 'out'))
}

/** Growth of the server's resident memory while an export runs. */
async function measureMemory(us: Peer, address: Address, folder: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const format of ['json', 'csv', 'html', 'xml', 'rss', 'xlsx']) {
    const growth = await watchMemory(us.process.pid!, () => download(address(`format=${format}`), join(folder, 'out')))
    const more = `${Math.round(growth / 1024 / 1024)} MB more`
    rows.push({
      what: `memory, ${format}`,
      against: '150 MB',
      ratios: [growth / memoryGoalBytes],
      goal: { atMost: 1 },
      note: more,
    })
  }
  return rows
}

const note = `${itemCount.toLocaleString('en')} items`
