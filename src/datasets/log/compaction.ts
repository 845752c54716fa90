/**
 * Compaction: joins small chunks into large ones in the background. Sizes grow in steps, so that a byte is rewritten at
 * most once per step; items keep their places, so readers are not affected.
 */
// `globalThis.performance` is a getter; importing it is measurably faster.
import { performance } from 'node:perf_hooks'
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'
import type { WorkerPool } from '../workers/worker-pool.ts'
import { fullChunkBytes } from './item-log.ts'

const steps = [4_096, 65_536, fullChunkBytes]

/** A data set is compacted once it has been quiet for this long, or has had this many pushes. */
const quietMs = 400
const maxWaiting = 20_000

type Outline = { first_item: number; item_count: number; byte_count: number; has_hidden: number }

export type Compaction = ReturnType<typeof makeCompaction>

export function makeCompaction({ store, workers, log }: { store: Store; workers: WorkerPool; log: Log }) {
  const waiting = new Map<number, { pushes: number; lastAt: number; timer: NodeJS.Timeout }>()
  let running: Promise<void> = Promise.resolve()
  let isClosed = false

  function enqueue(key: number) {
    waiting.delete(key)
    if (isClosed) return
    running = running.then(() => compact(key)).catch((error) => log.error({ err: error }, 'compacting items failed'))
  }

  const setTimer = (key: number, ms: number) => setTimeout(enqueueIfQuiet, ms, key).unref()

  /** A push does not reset the timer, which would cost a statement's time: the timer checks when the last push came. */
  function enqueueIfQuiet(key: number) {
    const known = waiting.get(key)!
    const leftMs = known.lastAt + quietMs - performance.now()
    if (leftMs > 0) known.timer = setTimer(key, Math.ceil(leftMs))
    else enqueue(key)
  }

  async function compact(key: number): Promise<void> {
    for (const step of steps) {
      const small = await store.db
        .selectFrom('dataset_chunk')
        .select(['first_item', 'item_count', 'byte_count', 'has_hidden'])
        .where('dataset_id', '=', key)
        .where('byte_count', '<', fullChunkBytes)
        .orderBy('first_item')
        .execute()
      for (const group of groupNeighbours(small, step)) {
        if (isClosed) return
        await compactGroup(key, group)
      }
    }
  }

  /** Takes turns with exports, as one more caller. */
  const summarize = (lines: Buffer) => workers.inTurn('compaction', () => workers.run('summarize', lines, {}))

  async function compactGroup(key: number, group: readonly Outline[]): Promise<void> {
    const firsts = group.map(({ first_item }) => first_item)
    const rows = await store.db
      .selectFrom('dataset_chunk')
      .select('lines')
      .where('dataset_id', '=', key)
      .where('first_item', 'in', firsts)
      .orderBy('first_item')
      .execute()
    if (rows.length !== group.length) return
    const lines = Buffer.concat(rows.map((row) => row.lines))
    const isFull = lines.length >= fullChunkBytes
    // A chunk without a summary is read when its columns or statistics are needed.
    const summary = isFull ? await summarize(Buffer.from(lines)).catch(() => null) : null
    await store
      .write(
        async (trx) => {
          const { numDeletedRows } = await trx
            .deleteFrom('dataset_chunk')
            .where('dataset_id', '=', key)
            .where('first_item', 'in', firsts)
            .executeTakeFirstOrThrow()
          // Another server has compacted these chunks, or the data set is being removed: roll the transaction back.
          if (Number(numDeletedRows) !== group.length) throw new CompactionConflict()
          await trx
            .insertInto('dataset_chunk')
            .values({
              dataset_id: key,
              first_item: firsts[0]!,
              item_count: group.reduce((sum, chunk) => sum + chunk.item_count, 0),
              byte_count: lines.length,
              has_hidden: Math.max(...group.map((chunk) => chunk.has_hidden)),
              lines,
              summary: summary === null ? null : JSON.stringify(summary),
            })
            .execute()
        },
        { locks: [`dataset chunks ${key}`] },
      )
      .catch((error) => {
        if (!(error instanceof CompactionConflict)) throw error
      })
  }

  return {
    /** Called for each stored push. */
    schedule(key: number) {
      const lastAt = performance.now()
      const known = waiting.get(key)
      if (!known) {
        waiting.set(key, { pushes: 1, lastAt, timer: setTimer(key, quietMs) })
        return
      }
      known.lastAt = lastAt
      if (++known.pushes < maxWaiting) return
      clearTimeout(known.timer)
      enqueue(key)
    },
    /** Compacts what the last server left when it stopped. */
    async resume() {
      const rows = await store.db
        .selectFrom('dataset_chunk')
        .select('dataset_id')
        .where('byte_count', '<', fullChunkBytes)
        .groupBy('dataset_id')
        .having((eb) => eb.fn.countAll(), '>', 1)
        .execute()
      for (const { dataset_id } of rows) enqueue(dataset_id)
    },
    /** Compacts everything scheduled at once. */
    async settle() {
      for (const [key, { timer }] of waiting) {
        clearTimeout(timer)
        enqueue(key)
      }
      await running
    },
    async close() {
      isClosed = true
      for (const { timer } of waiting.values()) clearTimeout(timer)
      waiting.clear()
      await running
    },
  }
}

class CompactionConflict extends Error {}

/** Finds runs of neighbouring chunks, each below the step's size, that together reach it. */
export function groupNeighbours(outlines: readonly Outline[], step: number): Outline[][] {
  const groups: Outline[][] = []
  let group: Outline[] = []
  let bytes = 0
  for (const outline of outlines) {
    const last = group.at(-1)
    const isNeighbour = last === undefined || last.first_item + last.item_count === outline.first_item
    if (!isNeighbour || outline.byte_count >= step) {
      group = []
      bytes = 0
    }
    if (outline.byte_count >= step) continue
    group.push(outline)
    bytes += outline.byte_count
    if (bytes >= step) {
      if (group.length > 1) groups.push(group)
      group = []
      bytes = 0
    }
  }
  return groups
}
