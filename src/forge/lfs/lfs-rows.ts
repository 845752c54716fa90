/** Rows of LFS objects, for code that lists or copies all objects of a repository. */
import type { Db } from '../../store/schema/schema.ts'
import type { LfsObject } from './lfs-object.ts'

const portion = 500

/** All objects of a repository, ordered by name. */
export async function* listLfsObjects(db: Db, { id }: { readonly id: number }): AsyncGenerator<LfsObject> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('lfs_object')
      .select(['blob_hash as oid', 'size'])
      .where('repository_id', '=', id)
      .where('blob_hash', '>', after)
      .orderBy('blob_hash')
      .limit(portion)
      .execute()
    yield* rows
    if (rows.length < portion) return
    after = rows.at(-1)!.oid
  }
}

/** Within a write that shares the blobs' lock: makes these objects the repository's. Their bytes exist already. */
export async function nameLfsObjectsWithin(
  trx: Db,
  repositoryId: number,
  objects: readonly LfsObject[],
  now: number,
): Promise<void> {
  for (let at = 0; at < objects.length; at += portion) {
    const rows = objects
      .slice(at, at + portion)
      .map(({ oid, size }) => ({ repository_id: repositoryId, blob_hash: oid, size, created_at: now }))
    await trx
      .insertInto('lfs_object')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['repository_id', 'blob_hash']).doNothing())
      .execute()
  }
}

/** Lets a repository read objects of another. They do not count towards its quota. */
export async function borrowLfsObjectsWithin(
  trx: Db,
  repositoryId: number,
  lenderId: number,
  objects: readonly LfsObject[],
): Promise<void> {
  for (let at = 0; at < objects.length; at += portion) {
    const rows = objects
      .slice(at, at + portion)
      .map(({ oid }) => ({ repository_id: repositoryId, lender_id: lenderId, blob_hash: oid }))
    await trx
      .insertInto('lfs_borrowing')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Objects lent to the repository by lenders that still have them. */
export const selectBorrowed = (on: Db, repositoryId: number) =>
  on
    .selectFrom('lfs_borrowing')
    .innerJoin('lfs_object', (join) =>
      join
        .onRef('lfs_object.repository_id', '=', 'lfs_borrowing.lender_id')
        .onRef('lfs_object.blob_hash', '=', 'lfs_borrowing.blob_hash'),
    )
    .select(['lfs_object.blob_hash', 'lfs_object.size'])
    .where('lfs_borrowing.repository_id', '=', repositoryId)
