/** The fields of a data set that have an index, and how far each has come. */
import { demand } from '../../lib/failure.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { isSamePath } from '../index-keys/lookup-plan.ts'
import type { FieldPath } from '../query/filter.ts'
import { parsePath, spellPath } from '../query/order.ts'

export type Index = {
  readonly id: number
  readonly path: FieldPath
  /** The number of items, from the first, that it covers. */
  readonly itemCount: number
  readonly byteCount: number
}

const maxIndexes = 8
const maxPathLength = 1_000

/** Fields in the syntax of `filter`. */
export function readIndexFields(fields: unknown): FieldPath[] {
  const isList = Array.isArray(fields) && fields.every((field) => typeof field === 'string')
  demand(isList || fields === null, 'invalid', 'invalid-value', 'indexes must be a list of fields, or null for none.')
  const names = (fields ?? []) as string[]
  demand(names.length <= maxIndexes, 'invalid', 'invalid-value', `indexes names at most ${maxIndexes} fields.`)
  const paths = names.map((name) => {
    demand(
      name.length <= maxPathLength,
      'invalid',
      'invalid-value',
      `A field in indexes has over ${maxPathLength} characters.`,
    )
    return parsePath('indexes', name.trim())
  })
  for (const [i, path] of paths.entries())
    demand(
      !paths.slice(0, i).some((other) => isSamePath(other, path)),
      'invalid',
      'invalid-value',
      `indexes names ${spellPath(path)} twice.`,
    )
  return paths
}

export function makeDefinitions({ store }: { store: Store }) {
  const rows = prepareQuery(store.db, ({ key }: { key: number }) =>
    store.db
      .selectFrom('dataset_index')
      .select(['id', 'path', 'item_count', 'byte_count'])
      .where('dataset_id', '=', key)
      .orderBy('position'),
  )

  const list = async (key: number, on?: Db): Promise<Index[]> =>
    (await rows({ key }, on)).map(({ id, path, item_count, byte_count }) => ({
      id,
      path: JSON.parse(path) as FieldPath,
      itemCount: item_count,
      byteCount: byte_count,
    }))

  async function insert(trx: Db, key: number, path: FieldPath, position: number): Promise<void> {
    const row = { dataset_id: key, position, path: JSON.stringify(path), item_count: 0, byte_count: 0 }
    await trx.insertInto('dataset_index').values(row).execute()
  }

  return {
    list,

    /** Keeps existing indexes on the same fields. */
    async replaceWithin(trx: Db, key: number, paths: readonly FieldPath[]): Promise<void> {
      for (const { id, path } of await list(key, trx)) {
        const position = paths.findIndex((each) => isSamePath(each, path))
        const change = position === -1 ? { dataset_id: null } : { position }
        await trx.updateTable('dataset_index').set(change).where('id', '=', id).execute()
      }
      const kept = (await list(key, trx)).map(({ path }) => path)
      for (const [position, path] of paths.entries())
        if (!kept.some((each) => isSamePath(each, path))) await insert(trx, key, path, position)
    },

    /** Whether all of them are still indexes of a data set: the entries of such an index are never cleared. */
    async areAlive(ids: readonly number[]): Promise<boolean> {
      const alive = await store.db
        .selectFrom('dataset_index')
        .select('id')
        .where('id', 'in', ids)
        .where('dataset_id', 'is not', null)
        .execute()
      return alive.length === ids.length
    },

    /** Advances the index over items that got entries, if it covers those before them. */
    async advance(trx: Db, id: number, from: number, to: number, bytes: number): Promise<boolean> {
      const { numUpdatedRows } = await trx
        .updateTable('dataset_index')
        .set((eb) => ({ item_count: to, byte_count: eb('byte_count', '+', bytes) }))
        .where('id', '=', id)
        .where('dataset_id', 'is not', null)
        .where('item_count', '=', from)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },

    /** Removed indexes whose entries are still to be cleared. */
    async listDead(): Promise<number[]> {
      const dead = await store.db.selectFrom('dataset_index').select('id').where('dataset_id', 'is', null).execute()
      return dead.map(({ id }) => id)
    },

    async forget(trx: Db, id: number): Promise<void> {
      await trx.deleteFrom('dataset_index').where('id', '=', id).execute()
    },
  }
}
