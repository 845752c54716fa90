/** Data sets: list, create, find, change, empty and remove; operations on items are in `item-acts.ts`. */
import type { Actor } from '../accounts/actor.ts'
import type { Quotas } from '../accounts/quotas.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import type { Page } from '../lib/page.ts'
import type { TemporaryFiles } from '../store/files/temporary-files.ts'
import { isUniqueViolation, type Store } from '../store/store.ts'
import { type DatasetAddress, demandAccount, demandItems, demandRead, demandWrite, type Right } from './access.ts'
import { type Dataset, demandName, type GeneralAccess } from './dataset.ts'
import { type DatasetDraft, type DatasetListing, makeDatasetRows } from './dataset-rows.ts'
import { makeIndexes } from './indexes/indexes.ts'
import { makeItemActs } from './item-acts.ts'
import { makeCompaction } from './log/compaction.ts'
import { makeItemLog } from './log/item-log.ts'
import { forgetOldKeys } from './log/push-keys.ts'
import type { FieldPath } from './query/filter.ts'
import { makeRemovals } from './removals.ts'
import { makeSchemaValidation } from './schema-validation.ts'
import { makeStorageQuota } from './storage-quota.ts'
import { makeUsage } from './usage.ts'
import { makeWorkerPool } from './workers/worker-pool.ts'

export type DatasetChange = {
  name?: string | null
  title?: string | null
  generalAccess?: GeneralAccess
  /** Applies to items pushed from now on. */
  schema?: unknown
  /** The fields that have an index. */
  indexes?: readonly FieldPath[]
}

type Needs = { store: Store; clock: Clock; log: Log; jobs: Jobs; quotas: Quotas; openFile: TemporaryFiles['open'] }

export type Datasets = ReturnType<typeof makeDatasets>

export function makeDatasets({ store, clock, log, jobs, quotas, openFile }: Needs) {
  const workers = makeWorkerPool()
  const items = makeItemLog({ store })
  const schemas = makeSchemaValidation({ workers })
  const compaction = makeCompaction({ store, workers, log })
  const usage = makeUsage({ store, clock, log })
  const storage = makeStorageQuota({ store, clock, quotas })
  const indexes = makeIndexes({ store, jobs, workers, log: items, hasSpace: storage.hasRoomFor })
  const removals = makeRemovals({ store, clock, log, indexes, forget: items.forget })
  const rows = makeDatasetRows({ store, clock, usage })
  const { find } = rows
  const needs = { store, clock, log, rows, items, workers, schemas, storage, indexes, compaction, usage, openFile }
  const acts = makeItemActs(needs)

  async function insert(accountId: number, draft: DatasetDraft): Promise<Dataset> {
    await storage.demandRoomForOne(accountId)
    return rows.insert(accountId, draft)
  }

  return {
    ...acts,

    /** Writes the recorded usage to the table. */
    saveUsage: usage.flush,

    async list(actor: Actor, listing: DatasetListing): Promise<Page<Dataset>> {
      demandAccount(actor, 'read')
      await usage.flush()
      return rows.list(actor.account.id, listing)
    },

    async search(actor: Actor, text: string, limit: number): Promise<Dataset[]> {
      demandAccount(actor, 'read')
      await usage.flush()
      return rows.search(actor.account.id, text, limit)
    },

    async getOrCreate(actor: Actor, draft: DatasetDraft): Promise<{ dataset: Dataset; isNew: boolean }> {
      demandAccount(actor, 'write')
      const { id } = actor.account
      if (draft.name !== null) {
        demandName(draft.name)
        const known = await rows.findOwn(id, draft.name)
        if (known) return { dataset: known, isNew: false }
      }
      await schemas.demandSchema(id, draft.schema)
      try {
        return { dataset: await insert(id, draft), isNew: true }
      } catch (error) {
        if (!isUniqueViolation(error) || draft.name === null) throw error
        return { dataset: (await rows.findOwn(id, draft.name))!, isNew: false }
      }
    },

    /** Throws as the operation itself would, and answers the data set's id, which rate limits count by. */
    async demandAccess(
      actor: Actor,
      address: DatasetAddress,
      right: Right | 'items',
      signature: string | null,
    ): Promise<string> {
      const dataset = await find(actor, address)
      if (right === 'write') demandWrite(actor, dataset)
      else if (right === 'read') demandRead(actor, dataset, address.by)
      else demandItems(actor, dataset, address.by, signature, clock.now())
      return dataset.id
    },

    async get(actor: Actor, address: DatasetAddress): Promise<Dataset> {
      const dataset = await find(actor, address)
      demandRead(actor, dataset, address.by)
      usage.recordRead(dataset.key)
      return dataset
    },

    indexes: (dataset: Dataset) => indexes.list(dataset.key, dataset.indexVersion),

    fieldNames: (dataset: Dataset) => items.fieldNames(dataset.key, dataset.itemCount),

    async update(actor: Actor, address: DatasetAddress, change: DatasetChange): Promise<Dataset> {
      const dataset = await find(actor, address)
      demandWrite(actor, dataset)
      if (typeof change.name === 'string') demandName(change.name)
      if (change.schema !== undefined) await schemas.demandSchema(dataset.ownerId, change.schema)
      if (change.indexes?.length) await storage.demandSpace(dataset.ownerId)
      const now = clock.now()
      try {
        await removals.changeRow(dataset.id, async (trx, key) => {
          await trx
            .updateTable('dataset')
            .set((eb) => ({
              modified_at: now,
              accessed_at: now,
              ...(change.name !== undefined && { name: change.name }),
              ...(change.title !== undefined && { title: change.title }),
              ...(change.generalAccess !== undefined && { general_access: change.generalAccess }),
              ...(change.schema !== undefined && {
                schema: change.schema === null ? null : JSON.stringify(change.schema),
              }),
              ...(change.indexes !== undefined && { index_version: eb('index_version', '+', 1) }),
            }))
            .where('id', '=', key)
            .execute()
          if (change.indexes !== undefined) await indexes.replaceWithin(trx, key, change.indexes)
        })
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw new Failure(
          'conflict',
          'name-not-unique',
          `You have a data set named ${change.name}: choose another name.`,
        )
      }
      if (change.indexes !== undefined) void removals.sweep()
      return find(actor, { by: 'id', id: dataset.id })
    },

    async remove(actor: Actor, address: DatasetAddress): Promise<void> {
      const dataset = await find(actor, address)
      demandWrite(actor, dataset)
      await removals.remove(dataset.id)
    },

    /**
     * Removes the items and keeps the data set. State about the old items (keys, ETags, chunks) must not apply to new
     * ones, so the data set gets a new row.
     */
    async truncate(actor: Actor, address: DatasetAddress): Promise<void> {
      const dataset = await find(actor, address)
      demandWrite(actor, dataset)
      await usage.flush()
      await removals.replace(dataset.id, clock.now())
    },

    /**
     * Replaces all items of the actor's data set at once; makes the data set if it does not exist. The items are first
     * stored in an unnamed data set, which expires by itself if the server is killed.
     */
    async refill(actor: Actor, name: string, portions: readonly Buffer[]): Promise<Dataset> {
      const { dataset } = await this.getOrCreate(actor, { name, schema: null })
      demandWrite(actor, dataset)
      const staged = await insert(dataset.ownerId, { name: null, schema: dataset.schema ?? null })
      const address = { by: 'id', id: staged.id } as const
      try {
        for (const bytes of portions)
          await acts.push(actor, address, {
            key: null,
            csv: null,
            readBody: async () => ({ bytes, actor }),
            isGone: () => false,
          })
        await usage.flush()
        await removals.swap(dataset.id, staged.key, clock.now())
      } catch (error) {
        await removals.remove(staged.id)
        throw error
      }
      return find(actor, { by: 'id', id: dataset.id })
    },

    /** Starts background work: the compaction that the last server left, and writing usage records. */
    async start() {
      await compaction.resume()
      usage.start()
    },
    async sweep() {
      await usage.flush()
      await forgetOldKeys(store, clock)
      await removals.sweep()
    },
    /** Does the pending background work at once. */
    async settle() {
      await usage.flush()
      await compaction.settle()
      await indexes.settle()
      await removals.sweep()
    },
    async close() {
      acts.endFollowing()
      await removals.close()
      await compaction.close()
      await usage.close()
      await workers.close()
    },
  }
}
