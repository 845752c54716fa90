/**
 * Data sets of twelve shapes, taken out by a server that has just started: the first, second and third export, beside plain
 * JavaScript in a fresh Node. Ratios of time by the clock; those of processor time, which a busy machine distorts less, in the note.
 * `--only=ragged,wide` measures some shapes, `--formats=csv,xlsx` some formats, BENCH_ITEMS=n other numbers of items.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readBatches } from './datasets/corpus.ts'
import { download } from './datasets/download.ts'
import { copyByDuckDb, insertIntoSqlite } from './datasets/peers.ts'
import { pushAll, waitUntilJoined } from './datasets/push.ts'
import { shapes, writeShape } from './datasets/shapes.ts'
import { readOption } from './options.ts'
import { adminToken, type Peer, startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const itemCount = Number(process.env.BENCH_ITEMS ?? 30_000)
const listOf = (option: string) => readOption(option)?.split(',')

/** Seconds by the clock, and of the processors. */
type Spent = { readonly seconds: number; readonly cpuSeconds: number }

/** Of plain JavaScript's time for csv: the first export after a start, and the third. */
const goals: { readonly [format: string]: readonly [first: number, third: number] } = {
  csv: [0.8, 0.4],
  xlsx: [1.5, 0.8],
}
/** These have no goal of their own: no shape should take over twice the share that uniform items take. */
const others = ['xml', 'html', 'parquet']

export async function* bench(): AsyncGenerator<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-'))
  const formats = listOf('formats') ?? [...Object.keys(goals), ...others]
  const ofUniform = new Map<string, number>()
  try {
    for (const shape of Object.keys(shapes).filter((name) => listOf('only')?.includes(name) ?? true))
      yield* measureShape(shape, folder, formats, ofUniform)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function* measureShape(
  shape: string,
  folder: string,
  formats: readonly string[],
  ofUniform: Map<string, number>,
): AsyncGenerator<Row> {
  const corpus = await writeShape(shape, join(folder, 'items.jsonl'), itemCount)
  const data = join(folder, shape)
  const { row, id } = await push(corpus.path, data, shape, folder)
  yield row
  const plain = await runPlain(corpus.path, join(folder, 'plain.csv'))
  for (const format of formats) {
    const spent = await exportThrice(data, id, format, folder)
    const goal = goals[format]
    for (const [i, which] of (['first', 'second', 'third'] as const).entries()) {
      const one = spent[i]!
      const ratio = one.seconds / plain.seconds
      const cpu = one.cpuSeconds / plain.cpuSeconds
      const key = `${format} ${which}`
      if (shape === 'uniform') ofUniform.set(key, cpu)
      const asUniform = cpu / (ofUniform.get(key) ?? Number.NaN)
      yield {
        what: `${format} of ${shape}, ${which} export, time`,
        against: 'plain JavaScript, csv',
        ratios: [ratio],
        ...(goal && which !== 'second' && { goal: { atMost: goal[which === 'first' ? 0 : 1] } }),
        note: `processors ${cpu.toFixed(2)}${goal ? '' : `, ${asUniform.toFixed(2)} of uniform`}; ${one.seconds.toFixed(2)} s`,
      }
    }
    if (format === 'csv') {
      const theirs = await copyByDuckDb(corpus.path, join(folder, 'theirs.csv')).catch(() => Number.NaN)
      yield {
        what: `csv of ${shape}, third export, time`,
        against: 'DuckDB COPY',
        ratios: [spent[2]!.seconds / theirs],
      }
    }
  }
  await rm(data, { recursive: true, force: true })
}

/** After a start the server still makes its page and more: it is asked once it has come to rest. */
async function start(data: string): Promise<Peer> {
  const us = await startGuildhall({ GUILDHALL_LIMITS: 'off', GUILDHALL_DATA: data })
  for (let [before, quiet] = [0, 0]; quiet < 4; before = cpuSeconds(us)) {
    await setTimeout(400)
    quiet = cpuSeconds(us) - before <= 0.01 ? quiet + 1 : 0
  }
  return us
}

/** By one connection. The server is stopped once small chunks are joined, so that each format finds the same. */
async function push(path: string, data: string, shape: string, folder: string): Promise<{ row: Row; id: string }> {
  const raw = await insertIntoSqlite(join(folder, `${shape}.db`), readBatches(path))
  const us = await start(data)
  try {
    const made = await fetch(`${us.url}/v2/datasets?name=${shape}&token=${adminToken}`, { method: 'POST' })
    const { id } = ((await made.json()) as { data: { id: string } }).data
    const before = cpuSeconds(us)
    const seconds = await pushAll(`${us.url}/v2/datasets/${id}/items?token=${adminToken}`, readBatches(path), 1)
    const cpu = cpuSeconds(us) - before
    await waitUntilJoined(data)
    const rate = Math.round(itemCount / seconds).toLocaleString('en')
    const row: Row = {
      what: `push of ${shape}, one connection, speed`,
      against: 'raw SQLite, a commit a batch',
      ratios: [raw / seconds],
      goal: { atLeast: 0.4 },
      note: `${rate} items a second; ${Math.round(itemCount / cpu).toLocaleString('en')} a second of the processor`,
    }
    return { row, id }
  } finally {
    await us.stop()
  }
}

async function exportThrice(data: string, id: string, format: string, folder: string): Promise<Spent[]> {
  const us = await start(data)
  try {
    const spent: Spent[] = []
    const url = `${us.url}/v2/datasets/${id}/items?token=${adminToken}&format=${format}`
    for (let round = 0; round < 3; round++) {
      const before = cpuSeconds(us)
      const { seconds } = await download(url, join(folder, `ours.${format}`))
      spent.push({ seconds, cpuSeconds: cpuSeconds(us) - before })
    }
    return spent
  } finally {
    await us.stop()
  }
}

async function runPlain(from: string, to: string): Promise<Spent> {
  const script = join(import.meta.dirname, 'datasets', 'plain-csv.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, from, to])
  return JSON.parse(stdout) as Spent
}

/** Of all threads of the process, in hundredths. */
function cpuSeconds({ process: { pid } }: Peer): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
