/** Storage quota of data sets: how many an account may have, and how much their items and indexes may take. */
import { demandWithin, overQuota, type Quotas } from '../accounts/quotas.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'

/** How long sums are cached: a push must not wait for one, and a few seconds of pushes do not matter to a quota. */
const freshMs = 10_000
const maxKept = 10_000
const mib = 1024 * 1024

type Needs = { store: Store; clock: Clock; quotas: Quotas }

export type StorageQuota = ReturnType<typeof makeStorageQuota>

export function makeStorageQuota({ store, clock, quotas }: Needs) {
  const kept = new Map<number, { bytes: number; at: number }>()

  async function measure(accountId: number): Promise<number> {
    const known = kept.get(accountId)
    if (known && known.at > clock.now() - freshMs) return known.bytes
    const items = await store.db
      .selectFrom('dataset')
      .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('byte_count'), eb.lit(0)).as('bytes'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
    const indexes = await store.db
      .selectFrom('dataset_index')
      .innerJoin('dataset', 'dataset.id', 'dataset_index.dataset_id')
      .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('dataset_index.byte_count'), eb.lit(0)).as('bytes'))
      .where('dataset.account_id', '=', accountId)
      .where('dataset.index_version', '>', 0)
      .executeTakeFirstOrThrow()
    const bytes = Number(items.bytes) + Number(indexes.bytes)
    if (kept.size >= maxKept) kept.clear()
    kept.set(accountId, { bytes, at: clock.now() })
    return bytes
  }

  return {
    async demandRoomForOne(accountId: number): Promise<void> {
      if (!Number.isFinite(quotas.datasets)) return
      const { count } = await store.db
        .selectFrom('dataset')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow()
      demandWithin(Number(count), quotas.datasets, 'data sets')
    },

    /** Whether an index of this data set may grow. */
    async hasRoomFor(datasetKey: number): Promise<boolean> {
      if (!Number.isFinite(quotas.datasetMib)) return true
      const row = await store.db
        .selectFrom('dataset')
        .select('account_id')
        .where('id', '=', datasetKey)
        .executeTakeFirst()
      return row !== undefined && (await measure(row.account_id)) < quotas.datasetMib * mib
    },

    async demandSpace(accountId: number): Promise<void> {
      const { datasetMib } = quotas
      if (!Number.isFinite(datasetMib)) return
      if ((await measure(accountId)) >= datasetMib * mib) throw overQuota(`${datasetMib} MiB of items`)
    },
  }
}
