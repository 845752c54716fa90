/**
 * Removing data sets: a removed one is gone at once for everyone, and its items are deleted in the background. Unnamed
 * ones expire when unused.
 */
import type { Selectable } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { demand } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import type { Db, Schema } from '../store/schema/schema.ts'
import type { Store } from '../store/store.ts'
import { unnamedLifeMs } from './dataset.ts'
import type { Indexes } from './indexes/indexes.ts'

/** Chunks deleted per transaction, about 16 MiB, so that no other write waits long. */
const chunksAtOnce = 16

type Row = Selectable<Schema['dataset']>

type Needs = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly indexes: Pick<Indexes, 'listWithin' | 'replaceWithin' | 'clearDead'>
  forget(key: number): void
}

export function makeRemovals({ store, clock, log, indexes, forget }: Needs) {
  let running: Promise<void> = Promise.resolve()
  let isClosed = false

  async function removeWithin(trx: Db, key: number): Promise<void> {
    await trx.deleteFrom('dataset').where('id', '=', key).execute()
    await trx
      .insertInto('dataset_removal')
      .values({ dataset_id: key })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  async function removeExpired(): Promise<void> {
    const before = clock.now() - unnamedLifeMs
    const expired = await store.db
      .selectFrom('dataset')
      .select('id')
      .where('name', 'is', null)
      .where('accessed_at', '<=', before)
      .limit(1_000)
      .execute()
    for (const { id } of expired) {
      await store.write(async (trx) => {
        // It may have been used or named since it was looked up.
        const { numDeletedRows } = await trx
          .deleteFrom('dataset')
          .where('id', '=', id)
          .where('name', 'is', null)
          .where('accessed_at', '<=', before)
          .executeTakeFirstOrThrow()
        if (numDeletedRows > 0n) await removeWithin(trx, id)
      })
      forget(id)
    }
  }

  async function clearAway(): Promise<void> {
    const removals = await store.db.selectFrom('dataset_removal').selectAll().execute()
    for (const { dataset_id: key } of removals) {
      while (!isClosed && (await clearSome(key)));
    }
    if (removals.length > 0 && !isClosed) await store.reclaim('dataset_chunk')
    if (await indexes.clearDead(() => isClosed)) await store.reclaim('dataset_index_entry')
  }

  /** Answers whether there may be more. */
  async function clearSome(key: number): Promise<boolean> {
    const chunks = await store.db
      .selectFrom('dataset_chunk')
      .select('first_item')
      .where('dataset_id', '=', key)
      .orderBy('first_item')
      .limit(chunksAtOnce)
      .execute()
    await store.write(async (trx) => {
      if (chunks.length === 0) await trx.deleteFrom('dataset_removal').where('dataset_id', '=', key).execute()
      else
        await trx
          .deleteFrom('dataset_chunk')
          .where('dataset_id', '=', key)
          .where('first_item', '<=', chunks.at(-1)!.first_item)
          .execute()
    })
    return chunks.length > 0
  }

  const sweep = (): Promise<void> => {
    running = running
      .then(removeExpired)
      .then(clearAway)
      .catch((error) => log.error({ err: error }, 'clearing data sets away failed'))
    return running
  }

  /** Runs one such operation at a time per data set: some give its id to another row. */
  const withRow = <T>(publicId: string, act: (trx: Db, row: Row | undefined) => Promise<T>): Promise<T> =>
    store.write(
      async (trx) =>
        act(trx, await trx.selectFrom('dataset').selectAll().where('public_id', '=', publicId).executeTakeFirst()),
      { locks: [`dataset:${publicId}`] },
    )

  async function inPlaceOf(publicId: string, act: (trx: Db, row: Row | undefined) => Promise<unknown>): Promise<void> {
    const key = await withRow(publicId, async (trx, row) => {
      await act(trx, row)
      return row?.id
    })
    if (key !== undefined) forget(key)
    void sweep()
  }

  return {
    /** By its public id, like the two below: if another row has taken its place, that row is meant. */
    async remove(publicId: string): Promise<void> {
      await inPlaceOf(publicId, async (trx, row) => row && removeWithin(trx, row.id))
    },
    /** Changes the data set's present row, even if it was replaced meanwhile. */
    changeRow: (publicId: string, change: (trx: Db, key: number) => Promise<void>): Promise<void> =>
      withRow(publicId, (trx, row) => {
        demandRow(row)
        return change(trx, row.id)
      }),
    /** Replaces the data set by an empty one, in one transaction. */
    async replace(publicId: string, now: number): Promise<void> {
      await inPlaceOf(publicId, async (trx, row) => {
        demandRow(row)
        const { id: key, ...rest } = row
        const empty = { item_count: 0, clean_count: 0, byte_count: 0, modified_at: now, accessed_at: now }
        const paths = await indexes.listWithin(trx, key)
        await removeWithin(trx, key)
        const { id } = await trx
          .insertInto('dataset')
          .values({ ...rest, ...empty })
          .returning('id')
          .executeTakeFirstOrThrow()
        await indexes.replaceWithin(trx, id, paths)
      })
    },
    /** Replaces the data set's row by the row `fresh`, which gets its id, name and rights, in one transaction. */
    async swap(publicId: string, fresh: number, now: number): Promise<void> {
      await inPlaceOf(publicId, async (trx, row) => {
        demandRow(row)
        const paths = await indexes.listWithin(trx, row.id)
        await removeWithin(trx, row.id)
        const { public_id, name, title, general_access, schema, signing_key, created_at, read_count, write_count } = row
        const { index_version } = row
        const kept = {
          public_id,
          name,
          title,
          general_access,
          schema,
          signing_key,
          created_at,
          read_count,
          index_version,
        }
        await trx
          .updateTable('dataset')
          .set({ ...kept, write_count: write_count + 1, modified_at: now, accessed_at: now })
          .where('id', '=', fresh)
          .execute()
        await indexes.replaceWithin(trx, fresh, paths)
      })
    },
    /** Removes expired data sets, and deletes the items of removed ones. */
    sweep,
    async close() {
      isClosed = true
      await running
    },
  }
}

function demandRow(row: Row | undefined): asserts row is Row {
  demand(row, 'not-found', 'record-not-found', 'The data set was removed meanwhile.')
}
