/** Operations on the items of data sets: push, export, follow, statistics. */
import { createHash } from 'node:crypto'
import type { Actor } from '../accounts/actor.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { networkOf } from '../lib/network.ts'
import type { TemporaryFiles } from '../store/files/temporary-files.ts'
import type { Store } from '../store/store.ts'
import { type DatasetAddress, demandItems, demandRead, demandWrite } from './access.ts'
import type { Dataset } from './dataset.ts'
import type { DatasetRows } from './dataset-rows.ts'
import { demandWanted } from './export/columns.ts'
import { openExport } from './export/export.ts'
import { makeKeptLines } from './export/kept-lines.ts'
import { makeSmallAnswers, type SmallAnswer } from './export/small-answers.ts'
import { makeSortDiskBudget } from './export/sort-disk-budget.ts'
import type { Feed } from './formats/rss.ts'
import type { Indexes } from './indexes/indexes.ts'
import { isJsonBody } from './items/csv-body.ts'
import type { CsvOptions } from './items/csv-reading.ts'
import type { Compaction } from './log/compaction.ts'
import type { ItemLog } from './log/item-log.ts'
import { demandKey } from './log/push-keys.ts'
import { applyView, type ItemQuery } from './query/item-query.ts'
import type { SchemaValidation } from './schema-validation.ts'
import { makeStatistics, type Statistics } from './statistics.ts'
import type { StorageQuota } from './storage-quota.ts'
import { makeTails } from './tails.ts'
import type { Usage } from './usage.ts'
import type { WorkerPool } from './workers/worker-pool.ts'

/** `key`: an idempotency key. `csv`: how to parse a CSV body. */
export type Push = {
  readonly key: string | null
  readonly csv: CsvOptions | null
  readBody(): Promise<{ bytes: Buffer; actor: Actor }>
  /** Whether the client has left. */
  isGone(): boolean
}

/** `name`: the answer's address, which is its cache key. */
export type ItemRead = {
  name: string
  signature: string | null
  feedOf: (dataset: Dataset, query: ItemQuery) => Feed
  isGone: () => boolean
  /** Ends the connection. */
  cutOff: () => void
}

export type Following = {
  readonly from: number | null
  /** Null if the client did not follow before. */
  readonly resumed: Resumed | null
  readonly signature: string | null
}

/** The offset at which a former follower resumes, and the offset's generation, if the client gives it. */
export type Resumed = { readonly offset: number; readonly generation: string | null }

/** Emptying or refilling a data set makes its offsets invalid under the same id: each such period has a generation. */
const generationOf = ({ id, key }: Dataset) =>
  createHash('sha256').update(`${id}/${key}`).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 8)

/** The caller in whose turns threads work. */
const callerOf = ({ account, address }: Actor): string => (account ? `user:${account.id}` : `ip:${networkOf(address)}`)

type Needs = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly rows: DatasetRows
  readonly items: ItemLog
  readonly workers: WorkerPool
  readonly schemas: SchemaValidation
  readonly storage: StorageQuota
  readonly indexes: Indexes
  readonly compaction: Compaction
  readonly usage: Usage
  readonly openFile: TemporaryFiles['open']
}

export function makeItemActs(needs: Needs) {
  const { clock, rows, items, workers, schemas, storage, indexes, compaction, usage } = needs
  const answers = makeSmallAnswers()
  const sortDiskBudget = makeSortDiskBudget(needs.openFile)
  const keepLines = makeKeptLines()
  const tails = makeTails({ ...needs })
  const statistics = makeStatistics(needs)

  return {
    /**
     * Reads the body after checking the caller's rights. When this resolves, the items are durable and counted, all or
     * none. Answers whether they were stored now: a repeated push with the same key was stored before.
     */
    async push(actor: Actor, address: DatasetAddress, { key, csv, readBody, isGone }: Push): Promise<boolean> {
      if (key !== null) demandKey(key)
      demandWrite(actor, await rows.find(actor, address))
      const body = await readBody()
      // The sender may have lost their rights while the body was arriving.
      const dataset = await rows.find(body.actor, address)
      demandWrite(body.actor, dataset)
      await storage.demandSpace(dataset.ownerId)
      const format = csv && !isJsonBody(body.bytes) ? csv : null
      const scanned = await workers.scan(dataset.ownerId, body.bytes, format, () => demandWanted(isGone))
      await schemas.demandFit(dataset.ownerId, scanned.lines, dataset.schema)
      const keys = await indexes.prepare(dataset, scanned)
      const isNew = await items.append(dataset.key, scanned, clock.now(), key, (trx, version, first) =>
        indexes.addWithin(trx, dataset.key, version, first, keys),
      )
      if (isNew) {
        compaction.schedule(dataset.key)
        tails.wake(dataset.key)
      }
      return isNew
    },

    /** Opens an export of the page as it is now: later pushes are not in it. */
    async export(
      actor: Actor,
      address: DatasetAddress,
      parseQuery: () => ItemQuery,
      { name, signature, feedOf, isGone, cutOff }: ItemRead,
    ): Promise<SmallAnswer> {
      const dataset = await rows.find(actor, address)
      demandItems(actor, dataset, address.by, signature, clock.now())
      usage.recordRead(dataset.key)
      // Every change of the data set, its items or its names changes one of these.
      const state = `${dataset.key}/${dataset.itemCount}/${dataset.modifiedAt.getTime()}/${dataset.title}/${dataset.name}/${name}`
      const known = answers.find(state)
      if (known) return known
      const query = parseQuery()
      const needs = {
        log: items,
        workers,
        caller: callerOf(actor),
        sortDiskBudget,
        keepLines,
        cutOff,
        indexes: await indexes.list(dataset.key, dataset.indexVersion),
        lookups: indexes.lookups,
      }
      return answers.open(state, () =>
        openExport(needs, dataset, applyView(query, dataset.schema), feedOf(dataset, query), isGone),
      )
    },

    /**
     * New items as they come, from an offset or from now on. A client that followed items which were since deleted
     * starts at 0 of the present ones (`isAnew`).
     */
    async follow(actor: Actor, address: DatasetAddress, { from: asked, resumed, signature }: Following) {
      const dataset = await rows.find(actor, address)
      demandItems(actor, dataset, address.by, signature, clock.now())
      usage.recordRead(dataset.key)
      const generation = generationOf(dataset)
      const isSame = resumed?.generation
        ? resumed.generation === generation
        : resumed && resumed.offset <= dataset.itemCount
      const isAnew = resumed !== null && !isSame
      const from = isAnew ? 0 : (resumed?.offset ?? asked ?? dataset.itemCount)
      return { ...tails.open(callerOf(actor), dataset.key, from), from, generation, isAnew }
    },
    endFollowing: tails.close,

    async statistics(actor: Actor, address: DatasetAddress): Promise<Statistics> {
      const dataset = await rows.find(actor, address)
      demandRead(actor, dataset, address.by)
      usage.recordRead(dataset.key)
      return statistics(dataset, callerOf(actor))
    },
  }
}
