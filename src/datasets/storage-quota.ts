/** How many data sets an account may have, and how much their items may take. */
import { demandWithin, overQuota, type Quotas } from '../accounts/quotas.ts'
import type { Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'

/** Sums are kept so long: a push must not wait for one, and a few seconds of pushes are no matter beside a quota. */
const freshMs = 10_000
const maxKept = 10_000
const mib = 1024 * 1024

type Needs = { store: Store; clock: Clock; quotas: Quotas }

export function makeStorageQuota({ store, clock, quotas }: Needs) {
  const kept = new Map<number, { bytes: number; at: number }>()

  async function measure(accountId: number): Promise<number> {
    const known = kept.get(accountId)
    if (known && known.at > clock.now() - freshMs) return known.bytes
    const { bytes } = await store.db
      .selectFrom('dataset')
      .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('byte_count'), eb.lit(0)).as('bytes'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
    if (kept.size >= maxKept) kept.clear()
    kept.set(accountId, { bytes: Number(bytes), at: clock.now() })
    return Number(bytes)
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

    async demandRoom(accountId: number): Promise<void> {
      const { datasetMib } = quotas
      if (!Number.isFinite(datasetMib)) return
      if ((await measure(accountId)) >= datasetMib * mib) throw overQuota(`${datasetMib} MiB of items`)
    },
  }
}
