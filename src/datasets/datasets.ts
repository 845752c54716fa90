/** Data sets: list, create, find, change and remove them; push items, export them, and read their statistics. */
import { sql } from 'kysely'
import type { Actor } from '../accounts/actor.ts'
import type { Quotas } from '../accounts/quotas.ts'
import type { Clock } from '../base/clock.ts'
import { demand, Failure } from '../base/failure.ts'
import { drawAlphanumeric } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { networkOf } from '../base/network.ts'
import type { Page } from '../base/page.ts'
import type { TemporaryFiles } from '../store/files/temporary-files.ts'
import { prepareQuery } from '../store/prepared.ts'
import { memoizeRead } from '../store/read-memo.ts'
import type { Db } from '../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../store/store.ts'
import {
  type DatasetAddress,
  demandAccount,
  demandItems,
  demandRead,
  demandWrite,
  type NamedAddress,
  type Right,
} from './access.ts'
import { type Dataset, demandName, type GeneralAccess, toDataset, unnamedLifeMs } from './dataset.ts'
import { openExport } from './export/export.ts'
import { type Answer, makeSmallAnswers } from './export/small-answers.ts'
import { makeSortRoom } from './export/sort-room.ts'
import type { Feed } from './formats/rss.ts'
import { isJsonBody } from './items/csv-body.ts'
import type { CsvOptions } from './items/csv-reading.ts'
import { makeCompaction } from './log/compaction.ts'
import { makeItemLog } from './log/item-log.ts'
import { demandKey, forgetOldKeys } from './log/push-keys.ts'
import { applyView, type ItemQuery } from './query/item-query.ts'
import { makeRemovals } from './removals.ts'
import { makeSchemaValidation } from './schema-validation.ts'
import { type FieldStatistics, gatherStatistics } from './statistics.ts'
import { makeStorageQuota } from './storage-quota.ts'
import { makeTails } from './tails.ts'
import { makeUsage } from './usage.ts'
import { makeWorkerPool } from './workers/worker-pool.ts'

export type DatasetDraft = { readonly name: string | null; readonly schema: unknown }
export type DatasetChange = {
  name?: string | null
  title?: string | null
  generalAccess?: GeneralAccess
  /** Holds for what is pushed from now on. */
  schema?: unknown
}
export type DatasetListing = { offset: number; limit: number; desc: boolean; unnamed: boolean }

/** `key`: the same is stored once. `csv`: how to read a body that is sent as CSV. */
export type Push = {
  readonly key: string | null
  readonly csv: CsvOptions | null
  readBody(): Promise<{ bytes: Buffer; actor: Actor }>
}

/** `name`: the address of the answer, by which it is found again. */
export type Reading = {
  name: string
  signature: string | null
  feedOf: (dataset: Dataset, query: ItemQuery) => Feed
  isGone: () => boolean
}

export type Following = { readonly from: number | null; readonly signature: string | null }

/** The memo is small, since a data set may have a large schema. */
const maxRemembered = 200

type Needs = { store: Store; clock: Clock; log: Log; quotas: Quotas; openFile: TemporaryFiles['open'] }

/** In characters; a longer one is shown by the data set itself alone. */
const maxListedSchema = 4_096
const listedColumns = [
  'dataset.id',
  'dataset.public_id',
  'dataset.account_id',
  'dataset.name',
  'dataset.title',
  'dataset.general_access',
  'dataset.signing_key',
  'dataset.created_at',
  'dataset.modified_at',
  'dataset.accessed_at',
  'dataset.item_count',
  'dataset.clean_count',
  'dataset.byte_count',
  'dataset.read_count',
  'dataset.write_count',
] as const

/** In whose turn threads work. */
const callerOf = ({ account, address }: Actor): string => (account ? `user:${account.id}` : `ip:${networkOf(address)}`)

export type Datasets = ReturnType<typeof makeDatasets>

export function makeDatasets({ store, clock, log, quotas, openFile }: Needs) {
  const workers = makeWorkerPool()
  const items = makeItemLog({ store })
  const answers = makeSmallAnswers()
  const sortRoom = makeSortRoom(openFile)
  const tails = makeTails({ store, log, items })
  const schemas = makeSchemaValidation({ workers })
  const compaction = makeCompaction({ store, workers, log })
  const usage = makeUsage({ store, clock, log })
  const storage = makeStorageQuota({ store, clock, quotas })
  const removals = makeRemovals({ store, clock, log, forget: items.forget })

  const rows = (db: Db) =>
    db
      .selectFrom('dataset')
      .innerJoin('account', 'account.id', 'dataset.account_id')
      .selectAll('dataset')
      .select('account.name as owner_name')

  /** Without long schemas, of which a page of a list could be a gigabyte. */
  const listed = (db: Db) =>
    db
      .selectFrom('dataset')
      .innerJoin('account', 'account.id', 'dataset.account_id')
      .select(listedColumns)
      .select([
        'account.name as owner_name',
        sql<number>`coalesce(length(dataset.schema), 0)`.as('schema_length'),
        sql<string | null>`case when length(dataset.schema) <= ${maxListedSchema} then dataset.schema end`.as('schema'),
      ])

  async function findOwn(accountId: number, name: string, db: Db): Promise<Dataset | null> {
    const row = await rows(db).where('account_id', '=', accountId).where('dataset.name', '=', name).executeTakeFirst()
    return row ? toDataset(row) : null
  }

  /** An unnamed data set that has expired is not found, whether it was already deleted or not. */
  async function find(actor: Actor, address: DatasetAddress): Promise<Dataset> {
    const known = address.by === 'id' ? await byId(address.id) : await findNamed(actor, address)
    const dataset = known && usage.withUnsaved(known)
    const isExpired = dataset && dataset.name === null && dataset.accessedAt.getTime() + unnamedLifeMs <= clock.now()
    demand(dataset && !isExpired, 'not-found', 'record-not-found', 'There is no such data set.')
    return dataset
  }

  const rowById = prepareQuery(store.db, ({ id }: { id: string }) => rows(store.db).where('public_id', '=', id))
  const byId = memoizeRead(
    store,
    async (id: string) => {
      const [row] = await rowById({ id })
      return row ? toDataset(row) : null
    },
    maxRemembered,
  )

  async function findNamed(actor: Actor, { ownerName, name }: NamedAddress): Promise<Dataset | null> {
    if (ownerName === null) {
      demandAccount(actor)
      return findOwn(actor.account.id, name, store.db)
    }
    const owned = rows(store.db).where('dataset.name', '=', name)
    const row = await owned.where('account.name_key', '=', ownerName.toLowerCase()).executeTakeFirst()
    return row ? toDataset(row) : null
  }

  async function insert(accountId: number, { name, schema }: DatasetDraft): Promise<Dataset> {
    const now = clock.now()
    const id = drawAlphanumeric(17)
    await storage.demandRoomForOne(accountId)
    await store.write((trx) =>
      trx
        .insertInto('dataset')
        .values({
          public_id: id,
          account_id: accountId,
          name,
          title: null,
          general_access: 'RESTRICTED',
          schema: schema === null ? null : JSON.stringify(schema),
          signing_key: drawAlphanumeric(32),
          created_at: now,
          modified_at: now,
          accessed_at: now,
          item_count: 0,
          clean_count: 0,
          byte_count: 0,
          read_count: 0,
          write_count: 0,
        })
        .execute(),
    )
    return toDataset(await rows(store.db).where('public_id', '=', id).executeTakeFirstOrThrow())
  }

  return {
    async list(actor: Actor, { offset, limit, desc, unnamed }: DatasetListing): Promise<Page<Dataset>> {
      demandAccount(actor, 'read')
      await usage.flush()
      const { id } = actor.account
      const alive = clock.now() - unnamedLifeMs
      const chosen = (query: ReturnType<typeof listed>) =>
        query
          .where('account_id', '=', id)
          .where((eb) =>
            unnamed
              ? eb.or([eb('dataset.name', 'is not', null), eb('accessed_at', '>', alive)])
              : eb('dataset.name', 'is not', null),
          )
      const { total } = await chosen(listed(store.db))
        .clearSelect()
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      const found = await chosen(listed(store.db))
        .orderBy('dataset.id', desc ? 'desc' : 'asc')
        .offset(offset)
        .limit(limit)
        .execute()
      return {
        total,
        items: found.map((row) => ({
          ...toDataset(row),
          ...(row.schema_length > maxListedSchema && { schema: undefined }),
        })),
      }
    },

    async getOrCreate(actor: Actor, draft: DatasetDraft): Promise<{ dataset: Dataset; isNew: boolean }> {
      demandAccount(actor, 'write')
      const { id } = actor.account
      if (draft.name !== null) {
        demandName(draft.name)
        const known = await findOwn(id, draft.name, store.db)
        if (known) return { dataset: known, isNew: false }
      }
      await schemas.demandSchema(id, draft.schema)
      try {
        return { dataset: await insert(id, draft), isNew: true }
      } catch (error) {
        if (!isUniqueViolation(error) || draft.name === null) throw error
        return { dataset: (await findOwn(id, draft.name, store.db))!, isNew: false }
      }
    },

    /** Refuses as the act itself would, and answers the data set's id, which rate limits count by. */
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

    fieldNames: (dataset: Dataset) => items.fieldNames(dataset.key, dataset.itemCount),

    async update(actor: Actor, address: DatasetAddress, change: DatasetChange): Promise<Dataset> {
      const dataset = await find(actor, address)
      demandWrite(actor, dataset)
      if (typeof change.name === 'string') demandName(change.name)
      if (change.schema !== undefined) await schemas.demandSchema(dataset.ownerId, change.schema)
      const now = clock.now()
      try {
        await store.write((trx) =>
          trx
            .updateTable('dataset')
            .set({
              modified_at: now,
              accessed_at: now,
              ...(change.name !== undefined && { name: change.name }),
              ...(change.title !== undefined && { title: change.title }),
              ...(change.generalAccess !== undefined && { general_access: change.generalAccess }),
              ...(change.schema !== undefined && {
                schema: change.schema === null ? null : JSON.stringify(change.schema),
              }),
            })
            .where('id', '=', dataset.key)
            .execute(),
        )
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw new Failure(
          'conflict',
          'name-not-unique',
          `You have a data set named ${change.name}: choose another name.`,
        )
      }
      return find(actor, { by: 'id', id: dataset.id })
    },

    async remove(actor: Actor, address: DatasetAddress): Promise<void> {
      const dataset = await find(actor, address)
      demandWrite(actor, dataset)
      await removals.remove(dataset.key)
    },

    /** Removes the items and keeps the data set. What was asked of its old items (keys, ETags, chunks) must not hold for new ones, so its row is a new one. */
    async truncate(actor: Actor, address: DatasetAddress): Promise<void> {
      const dataset = await find(actor, address)
      demandWrite(actor, dataset)
      await usage.flush()
      await removals.replace(dataset.key, clock.now())
    },

    /**
     * Puts these items in the place of those that a data set of the actor's holds, all at once; it is made where it is not
     * there. They are stored in an unnamed one beside it first, which expires by itself where a server is killed meanwhile.
     */
    async refill(actor: Actor, name: string, portions: readonly Buffer[]): Promise<Dataset> {
      const { dataset } = await this.getOrCreate(actor, { name, schema: null })
      demandWrite(actor, dataset)
      const staged = await insert(dataset.ownerId, { name: null, schema: dataset.schema ?? null })
      const address = { by: 'id', id: staged.id } as const
      try {
        for (const bytes of portions)
          await this.push(actor, address, { key: null, csv: null, readBody: async () => ({ bytes, actor }) })
        await usage.flush()
        await removals.swap(dataset.key, staged.key, clock.now())
      } catch (error) {
        await removals.remove(staged.key)
        throw error
      }
      return find(actor, { by: 'id', id: dataset.id })
    },

    /**
     * The body is read once the caller is known to be allowed. The items are durable and counted when this resolves, all of
     * them or none. Answers whether they were stored now: what comes again with the same key was stored before.
     */
    async push(actor: Actor, address: DatasetAddress, { key, csv, readBody }: Push): Promise<boolean> {
      if (key !== null) demandKey(key)
      demandWrite(actor, await find(actor, address))
      const body = await readBody()
      // Whoever sent it may have lost their rights while they held its end back.
      const dataset = await find(body.actor, address)
      demandWrite(body.actor, dataset)
      await storage.demandRoom(dataset.ownerId)
      const scanned = await workers.scan(body.bytes, csv && !isJsonBody(body.bytes) ? csv : null)
      await schemas.demandFit(dataset.ownerId, scanned.lines, dataset.schema)
      const isNew = await items.append(dataset.key, scanned, clock.now(), key)
      if (isNew) {
        compaction.schedule(dataset.key)
        tails.wake(dataset.key)
      }
      return isNew
    },

    /** Opens an export of a page as it is now: nothing that is pushed later is in it. */
    async export(
      actor: Actor,
      address: DatasetAddress,
      parseQuery: () => ItemQuery,
      { name, signature, feedOf, isGone }: Reading,
    ): Promise<Answer> {
      const dataset = await find(actor, address)
      demandItems(actor, dataset, address.by, signature, clock.now())
      usage.recordRead(dataset.key)
      // Whatever changes the data set, its items or its names, changes one of these.
      const state = `${dataset.key}/${dataset.itemCount}/${dataset.modifiedAt.getTime()}/${dataset.title}/${dataset.name}/${name}`
      const known = answers.find(state)
      if (known) return known
      const query = parseQuery()
      const needs = { log: items, workers, caller: callerOf(actor), sortRoom }
      return answers.open(state, () =>
        openExport(needs, dataset, applyView(query, dataset.schema), feedOf(dataset, query), isGone),
      )
    },

    /** New items as they come, from an offset on, or from now on. */
    async follow(actor: Actor, address: DatasetAddress, { from, signature }: Following) {
      const dataset = await find(actor, address)
      demandItems(actor, dataset, address.by, signature, clock.now())
      usage.recordRead(dataset.key)
      return { ...tails.open(callerOf(actor), dataset.key, from ?? dataset.itemCount), from: from ?? dataset.itemCount }
    },
    endFollowing: tails.close,

    async statistics(actor: Actor, address: DatasetAddress): Promise<Map<string, FieldStatistics>> {
      const dataset = await find(actor, address)
      demandRead(actor, dataset, address.by)
      usage.recordRead(dataset.key)
      return gatherStatistics({ items, workers, caller: callerOf(actor) }, dataset)
    },

    /** Starts the background work: compaction of what the last server left, and the writing of usage records. */
    async start() {
      await compaction.resume()
      usage.start()
    },
    async sweep() {
      await usage.flush()
      await forgetOldKeys(store, clock)
      await removals.sweep()
    },
    /** Does at once what the background work would do in time. */
    async settle() {
      await usage.flush()
      await compaction.settle()
      await removals.sweep()
    },
    async close() {
      tails.close()
      await removals.close()
      await compaction.close()
      await usage.close()
      await workers.close()
    },
  }
}
