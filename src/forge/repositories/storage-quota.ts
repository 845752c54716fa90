/** How much the repositories of one owner may take, wikis and large files included. */
import { overQuota, type Quotas } from '../../accounts/quotas.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'

const kib = 1024
const mib = 1024 * 1024

export type StorageQuota = ReturnType<typeof makeStorageQuota>

export function makeStorageQuota({ store, quotas: { repositoryMib } }: { store: Store; quotas: Quotas }) {
  const most = repositoryMib * mib
  const refusal = () => overQuota(`${repositoryMib} MiB of repositories`)

  async function measure(ownerId: number, on: Db = store.db): Promise<number> {
    const row = await on
      .selectFrom('repository')
      .leftJoin('lfs_usage', 'lfs_usage.repository_id', 'repository.id')
      .leftJoin('wiki_usage', 'wiki_usage.repository_id', 'repository.id')
      .select((eb) => [
        eb.fn.coalesce(eb.fn.sum<number>('repository.size_kib'), eb.lit(0)).as('git'),
        eb.fn.coalesce(eb.fn.sum<number>('wiki_usage.size_kib'), eb.lit(0)).as('wikis'),
        eb.fn.coalesce(eb.fn.sum<number>('byte_count'), eb.lit(0)).as('lfs'),
      ])
      .where('owner_id', '=', ownerId)
      .executeTakeFirstOrThrow()
    return (Number(row.git) + Number(row.wikis)) * kib + Number(row.lfs)
  }

  return {
    /** In bytes. */
    measure,

    /** Refuses where they take so much already: how much a push adds is known only once git has it. */
    async demandRoom({ owner }: Repository): Promise<void> {
      if (Number.isFinite(most) && (await measure(owner.id)) >= most) throw refusal()
    },

    /** Refuses what would be too much with these bytes. */
    async demandRoomFor(ownerId: number, bytes: number, on: Db = store.db): Promise<void> {
      if (Number.isFinite(most) && (await measure(ownerId, on)) + bytes > most) throw refusal()
    },
  }
}
