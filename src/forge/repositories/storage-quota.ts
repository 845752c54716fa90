/** How much the repositories of one owner may take. */
import { overQuota, type Quotas } from '../../accounts/quotas.ts'
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'

/** Refuses where they take so much already: how much a push adds is known only once git has it. */
export const makeStorageQuota =
  ({ store, quotas: { repositoryMib } }: { store: Store; quotas: Quotas }) =>
  async ({ owner }: Repository): Promise<void> => {
    if (!Number.isFinite(repositoryMib)) return
    const { kib } = await store.db
      .selectFrom('repository')
      .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('size_kib'), eb.lit(0)).as('kib'))
      .where('owner_id', '=', owner.id)
      .executeTakeFirstOrThrow()
    if (Number(kib) >= repositoryMib * 1024) throw overQuota(`${repositoryMib} MiB of repositories`)
  }
