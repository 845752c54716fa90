/**
 * Indexes on chosen fields. A push adds its items' entries in its own transaction; a job handles items stored before
 * the index, and pushes of very many items. An index knows how many of the first items it covers, so it is useful while
 * it is behind.
 */
import type { Jobs } from '../../jobs/jobs.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Dataset } from '../dataset.ts'
import { eachKey, type ItemKeys, readItemKeys } from '../index-keys/item-keys.ts'
import type { ScannedItems } from '../items/scan.ts'
import type { ItemLog } from '../log/item-log.ts'
import type { FieldPath } from '../query/filter.ts'
import type { WorkerPool } from '../workers/worker-pool.ts'
import { type Index, makeDefinitions } from './definitions.ts'
import { makeEntries, measureKeys } from './entries.ts'
import { entriesPerWrite, makeUpkeep } from './upkeep.ts'

/** Up to this size the keys of a push are read in this thread. */
const smallBytes = 128 * 1024
const maxRemembered = 1_000

type Needs = {
  readonly store: Store
  readonly jobs: Jobs
  readonly workers: WorkerPool
  readonly log: Pick<ItemLog, 'plan' | 'read' | 'readWithin'>
  /** Whether the owner has room for more. */
  hasSpace(datasetKey: number): Promise<boolean>
}

/** The keys of a push's items, for the indexes that existed when it came. */
export type PushedKeys = {
  readonly version: number
  readonly count: number
  readonly keys: readonly { readonly index: Index; readonly keys: ItemKeys }[] | null
}

export type Indexes = ReturnType<typeof makeIndexes>

export function makeIndexes({ store, jobs, workers, log, hasSpace }: Needs) {
  const definitions = makeDefinitions({ store })
  const entries = makeEntries({ store })
  const upkeep = makeUpkeep({ store, jobs, workers, log, definitions, entries, hasSpace })
  /** The ids and paths of a version never change. */
  const known = new Map<number, { version: number; indexes: readonly Index[] }>()

  async function listKnown(key: number, version: number): Promise<readonly Index[]> {
    const found = known.get(key)
    if (found?.version === version) return found.indexes
    const indexes = await definitions.list(key)
    if (known.size >= maxRemembered) known.clear()
    known.set(key, { version, indexes })
    return indexes
  }

  return {
    /** With the number of items each covers now. */
    list: (key: number, version: number): Promise<readonly Index[]> =>
      version === 0 ? Promise.resolve([]) : definitions.list(key),

    /** Called in a turn of the push's owner. */
    async prepare(
      { key, indexVersion: version, ownerId }: Dataset,
      { lines, count }: ScannedItems,
    ): Promise<PushedKeys | null> {
      if (version === 0) return null
      const indexes = await listKnown(key, version)
      if (indexes.length * count > entriesPerWrite) return { version, count, keys: null }
      const paths = indexes.map(({ path }) => path)
      const made =
        lines.length <= smallBytes
          ? readItemKeys(lines, count, paths)
          : await workers.inPushTurn(ownerId, () => workers.run('readKeys', Buffer.from(lines), { count, paths }))
      return { version, count, keys: indexes.map((index, i) => ({ index, keys: made[i]! })) }
    },

    /** Within the push's transaction, for its items from `first` on. `version` is the row's own. */
    async addWithin(trx: Db, key: number, version: number, first: number, pushed: PushedKeys | null): Promise<void> {
      if (version === 0) return
      let isBehind = pushed?.version !== version || pushed.keys === null
      for (const { index, keys } of isBehind ? [] : pushed!.keys!) {
        const list = [...eachKey(keys)]
        const isNext = await definitions.advance(trx, index.id, first, first + pushed!.count, measureKeys(list))
        if (isNext) await entries.insert(trx, index.id, first, list)
        else isBehind = true
      }
      if (isBehind) await upkeep.enqueue(trx, key)
    },

    /** Kept indexes stay as they are; if a data set gets a new row, its indexes start anew. */
    async replaceWithin(trx: Db, key: number, paths: readonly FieldPath[]): Promise<void> {
      await definitions.replaceWithin(trx, key, paths)
      if (paths.length > 0) await upkeep.enqueue(trx, key)
    },

    listWithin: async (trx: Db, key: number): Promise<FieldPath[]> =>
      (await definitions.list(key, trx)).map(({ path }) => path),

    lookups: { ...entries, areAlive: definitions.areAlive },
    clearDead: upkeep.clearDead,
    settle: upkeep.settle,
  }
}
