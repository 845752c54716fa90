/**
 * Extends indexes to all stored items by a durable job, a part per transaction: after a kill it continues where the
 * last part ended. Also clears the entries of removed indexes.
 */

import type { Jobs } from '../../jobs/jobs.ts'
import { Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { eachKey, readItemKeys } from '../index-keys/item-keys.ts'
import type { ItemLog, ItemRange, Slice } from '../log/item-log.ts'
import type { WorkerPool } from '../workers/worker-pool.ts'
import type { Index, makeDefinitions } from './definitions.ts'
import { type Entries, measureKeys } from './entries.ts'

/** Entries added per transaction (measured: 10 to 20 ms), so that no other write waits long. */
export const entriesPerWrite = 10_000
/** The last items are added while pushes are held, or a steady stream of pushes would always stay ahead. */
const lastItems = 500
const lastBytes = 64 * 1024
/** After this many slices, others have their turn. */
const slicesPerTurn = 32

const kind = 'datasets.index'

type Needs = {
  readonly store: Store
  readonly jobs: Jobs
  readonly workers: WorkerPool
  readonly log: Pick<ItemLog, 'plan' | 'read' | 'readWithin'>
  readonly definitions: ReturnType<typeof makeDefinitions>
  readonly entries: Entries
  hasSpace(datasetKey: number): Promise<boolean>
}

export function makeUpkeep({ store, jobs, workers, log, definitions, entries, hasSpace }: Needs) {
  const countItems = async (key: number): Promise<number> => {
    const row = await store.db.selectFrom('dataset').select('item_count').where('id', '=', key).executeTakeFirst()
    return row?.item_count ?? 0
  }

  /** Answers whether it added the items: false if the index had them already. */
  async function add(trx: Db, { id }: Index, { from, to }: ItemRange, keys: readonly Buffer[]): Promise<boolean> {
    if (!(await definitions.advance(trx, id, from, to, measureKeys(keys)))) return false
    await entries.insert(trx, id, from, keys)
    return true
  }

  async function addSlice(key: number, index: Index, slice: ItemRange): Promise<boolean> {
    const count = slice.to - slice.from
    const lines = await log.read(key, slice)
    const [made] = await workers.run('readKeys', lines, { count, paths: [index.path] })
    const keys = [...eachKey(made!)]
    for (let done = 0; done < count; done += entriesPerWrite) {
      const part = keys.slice(done, done + entriesPerWrite)
      const range = { from: slice.from + done, to: slice.from + done + part.length }
      if (!(await store.write((trx) => add(trx, index, range, part)))) return false
    }
    return true
  }

  /** Adds the few that are left, holding the data set's row so that no push comes in between. */
  async function addLast(key: number, index: Index): Promise<void> {
    await store.write(async (trx) => {
      const row = await trx
        .selectFrom('dataset')
        .select('item_count')
        .where('id', '=', key)
        .$if(store.engine === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst()
      const range = { from: index.itemCount, to: row?.item_count ?? 0 }
      if (range.to <= range.from || range.to - range.from > entriesPerWrite) return
      const lines = await log.readWithin(trx, key, range)
      const [made] = readItemKeys(lines, range.to - range.from, [index.path])
      await add(trx, index, range, [...eachKey(made!)])
    })
  }

  /** Answers whether there is more to do. */
  async function bringUp(key: number, signal: AbortSignal): Promise<boolean> {
    let slices = 0
    for (;;) {
      const total = await countItems(key)
      const index = (await definitions.list(key)).find(({ itemCount }) => itemCount < total)
      if (!index || !(await hasSpace(key))) return false
      const left = { from: index.itemCount, to: total }
      for await (const slice of log.plan(key, left)) {
        signal.throwIfAborted()
        if (isLast(slice, left)) await addLast(key, index)
        else if (!(await addSlice(key, index, slice))) break
        if (++slices >= slicesPerTurn) return true
      }
    }
  }

  const isLast = (slice: Slice, left: ItemRange) =>
    slice.from === left.from && slice.to === left.to && slice.to - slice.from <= lastItems && slice.bytes <= lastBytes

  const enqueue = (trx: Db, key: number) => jobs.enqueue(trx, kind, { key }, { key: String(key) })

  async function work(key: number, signal: AbortSignal): Promise<void> {
    const isMore = await bringUp(key, signal).catch((error) => {
      // The data set was removed meanwhile, with its indexes.
      if (error instanceof Failure && error.kind === 'not-found') return false
      throw error
    })
    if (isMore) await store.write((trx) => enqueue(trx, key))
  }

  jobs.define<{ key: number }>(kind, ({ key }, { signal }) => work(key, signal), { isStanding: true })

  return {
    enqueue,

    /** Answers whether there were any. */
    async clearDead(isOver: () => boolean): Promise<boolean> {
      const dead = await definitions.listDead()
      for (const id of dead) {
        let isMore = true
        while (isMore && !isOver())
          isMore = await store.write(async (trx) => {
            if (await entries.clearSome(trx, id)) return true
            await definitions.forget(trx, id)
            return false
          })
      }
      return dead.length > 0 && !isOver()
    },

    /** Does at once what the jobs would do. */
    async settle(): Promise<void> {
      const behind = await store.db
        .selectFrom('dataset_index')
        .innerJoin('dataset', 'dataset.id', 'dataset_index.dataset_id')
        .select('dataset.id as key')
        .whereRef('dataset_index.item_count', '<', 'dataset.item_count')
        .distinct()
        .execute()
      for (const { key } of behind) while (await bringUp(key, new AbortController().signal));
    },
  }
}
