/** Named inbox filters that a user has saved, in the user's order. */
import { sql } from 'kysely'
import type { Store } from '../../../store/store.ts'
import type { SelfAccess } from '../../access/self-access.ts'

/** `query`: the page's own URL query. */
export type SavedFilter = { readonly name: string; readonly query: string }

export const mostSavedFilters = 50

export type SavedFilters = ReturnType<typeof makeSavedFilters>

export const makeSavedFilters = ({ store }: { store: Store }) => ({
  async list({ actor }: SelfAccess): Promise<readonly SavedFilter[]> {
    const row = await store.db
      .selectFrom('inbox_filters')
      .select('filters')
      .where('user_id', '=', actor.account.id)
      .executeTakeFirst()
    return row ? (JSON.parse(row.filters) as SavedFilter[]) : []
  },

  async save({ actor }: SelfAccess, list: readonly SavedFilter[]): Promise<readonly SavedFilter[]> {
    await store.write((trx) =>
      trx
        .insertInto('inbox_filters')
        .values({ user_id: actor.account.id, filters: JSON.stringify(list) })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ filters: sql<string>`excluded.filters` }))
        .execute(),
    )
    return list
  },
})
