/** Locks: from the start of a migration until each is released, its repositories take no writes. */
import type { Db } from '../../store/schema/schema.ts'

export type Lock = { readonly migrationId: number; readonly repositoryId: number }

/** Runs within the write that starts the migration. A repository may be locked by several migrations. */
export async function lockWithin(
  trx: Db,
  migrationId: number,
  repositoryIds: readonly number[],
  now: number,
): Promise<void> {
  for (const id of repositoryIds) {
    const { locked_at } = await trx
      .selectFrom('repository')
      .select('locked_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('repository')
      .set({ locked_at: locked_at ?? now, lock_migration_id: migrationId })
      .where('id', '=', id)
      .execute()
  }
}

/** `free`: no migration locks the repository any more, so it takes writes again. */
export async function releaseWithin(
  trx: Db,
  { migrationId, repositoryId }: Lock,
): Promise<'free' | 'held-by-another' | 'not-held'> {
  const { numUpdatedRows } = await trx
    .updateTable('migration_repository')
    .set({ is_locked: 0 })
    .where('migration_id', '=', migrationId)
    .where('repository_id', '=', repositoryId)
    .where('is_locked', '=', 1)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return 'not-held'
  const { holder } = await trx
    .selectFrom('migration_repository')
    .select((eb) => eb.fn.max<number | null>('migration_id').as('holder'))
    .where('repository_id', '=', repositoryId)
    .where('is_locked', '=', 1)
    .executeTakeFirstOrThrow()
  await trx
    .updateTable('repository')
    .set({ lock_migration_id: holder, ...(holder === null && { locked_at: null }) })
    .where('id', '=', repositoryId)
    .execute()
  return holder === null ? 'free' : 'held-by-another'
}

/** The write lock for locking and releasing repositories: concurrent calls must see each other. */
export const repositoryLocksLock = 'repository-locks'
