/** The entries of indexes, one per item, sorted by key: look-ups read a few thousand at a time. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { KeyRange } from '../index-keys/index-key.ts'

/** Entries per query: SQLite answers in the thread that serves everyone. */
const entriesAtOnce = 2_000
/** Counting entries is many times faster than reading them. */
const countedAtOnce = 20_000
/** Entries deleted per transaction. */
const deletedAtOnce = 5_000

/** The approximate size of an entry besides its key. */
const entryBytes = 24

export const measureKeys = (keys: readonly Buffer[]): number =>
  keys.reduce((sum, key) => sum + key.length + entryBytes, 0)

export type EntryGroup = { readonly key: Buffer; readonly items: readonly number[]; readonly isWhole: boolean }

export type Entries = ReturnType<typeof makeEntries>

export function makeEntries({ store }: { store: Store }) {
  const isSqlite = store.engine === 'sqlite'

  type Cursor = { id: number; key: Uint8Array; item: number; to: Uint8Array }
  const rangeFrom = prepareQuery(store.db, ({ id, key, item, to }: Cursor) =>
    store.db
      .selectFrom('dataset_index_entry')
      .select(['value_key', 'item'])
      .where('index_id', '=', id)
      .where(sql<boolean>`(value_key, item) > (${key}, ${item})`)
      .where('value_key', '<', to)
      .orderBy('value_key')
      .orderBy('item')
      .limit(entriesAtOnce),
  )
  const rangeBack = prepareQuery(store.db, ({ id, to }: { id: number; to: Uint8Array }) =>
    store.db
      .selectFrom('dataset_index_entry')
      .select(['value_key', 'item'])
      .where('index_id', '=', id)
      .where('value_key', '<', to)
      .orderBy('value_key', 'desc')
      .orderBy('item', 'desc')
      .limit(entriesAtOnce),
  )

  type Point = { id: number; key: Uint8Array; after: number; count: number }
  const itemsOf = ({ id, key, after, count }: Point, isDescending: boolean) =>
    store.db
      .selectFrom('dataset_index_entry')
      .select('item')
      .where('index_id', '=', id)
      .where('value_key', '=', key)
      .where('item', isDescending ? '<' : '>', after)
      .orderBy('item', isDescending ? 'desc' : 'asc')
      .limit(count)
  const countOf = (point: Point, isDescending: boolean) =>
    store.db
      .selectFrom(itemsOf(point, isDescending).as('some'))
      .select((eb) => [
        eb.fn.countAll<number>().as('count'),
        (isDescending ? eb.fn.min('item') : eb.fn.max('item')).as('last'),
      ])
  const items = [false, true].map((desc) => prepareQuery(store.db, (point: Point) => itemsOf(point, desc)))
  const counts = [false, true].map((desc) => prepareQuery(store.db, (point: Point) => countOf(point, desc)))

  return {
    /** `keys`: of the items from `first` on. */
    async insert(trx: Db, id: number, first: number, keys: readonly Buffer[]): Promise<void> {
      const listed = isSqlite ? JSON.stringify(keys.map((key) => key.toString('hex'))) : keys
      // In sorted order, neighbouring keys go into the same pages of the tree.
      await (isSqlite
        ? sql`insert into dataset_index_entry (index_id, value_key, item)
            select ${id}, unhex(value), ${first} + key from json_each(${listed}) order by value, key`
        : sql`insert into dataset_index_entry (index_id, value_key, item)
            select ${id}::bigint, value, ${first}::bigint + place - 1
            from unnest(${listed}::bytea[]) with ordinality as listed (value, place)`
      ).execute(trx)
    },

    /** The items below `end` with keys in the range, sorted; null if there are more than `most`. */
    async collect(id: number, { from, to }: KeyRange, end: number, most: number): Promise<number[] | null> {
      const found: number[] = []
      let cursor = { id, key: from as Uint8Array, item: -1, to }
      for (;;) {
        const rows = await rangeFrom(cursor)
        for (const { item } of rows) if (item < end) found.push(item)
        if (found.length > most) return null
        if (rows.length < entriesAtOnce) return found.sort((a, b) => a - b)
        const last = rows.at(-1)!
        cursor = { id, key: last.value_key, item: last.item, to }
        await setImmediate()
      }
    },

    /** A page of the items below `end` with this key, in either order. */
    async page(id: number, key: Uint8Array, end: number, isDescending: boolean, skip: number, take: number) {
      const way = isDescending ? 1 : 0
      let after = isDescending ? end : -1
      for (let left = skip; left > 0; ) {
        const many = Math.min(left, countedAtOnce)
        const [found] = await counts[way]!({ id, key, after, count: many })
        if (Number(found?.count ?? 0) < many) return []
        after = Number(found!.last)
        left -= many
        if (left > 0) await setImmediate()
      }
      const page: number[] = []
      while (page.length < take) {
        const rows = await items[way]!({ id, key, after, count: Math.min(take - page.length, entriesAtOnce) })
        for (const { item } of rows) if (item < end) page.push(item)
        if (rows.length < entriesAtOnce) break
        after = rows.at(-1)!.item
        await setImmediate()
      }
      return page
    },

    /** The number of items below `end` with this key: items of later pushes are beyond it. */
    async count(id: number, key: Uint8Array, end: number): Promise<number> {
      let count = 0
      for (let after = end; ; ) {
        const [found] = await counts[1]!({ id, key, after, count: countedAtOnce })
        count += Number(found!.count)
        if (Number(found!.count) < countedAtOnce) return count
        after = Number(found!.last)
        await setImmediate()
      }
    },

    /**
     * The items of one key after the other, least or greatest first. Of a key with very many items only some, with
     * `isWhole` false.
     */
    async *walk(id: number, isDescending: boolean): AsyncGenerator<EntryGroup> {
      let last: Uint8Array = Buffer.from(isDescending ? [0xff] : [])
      const next = () =>
        isDescending
          ? rangeBack({ id, to: last })
          : rangeFrom({ id, key: last, item: Number.MAX_SAFE_INTEGER, to: Buffer.from([0xff]) })
      for (;;) {
        const rows = await next()
        const groups: { key: Buffer; items: number[] }[] = []
        for (const { value_key, item } of rows) {
          const group = groups.at(-1)
          if (group && Buffer.compare(group.key, value_key) === 0) group.items.push(item)
          else groups.push({ key: Buffer.from(value_key), items: [item] })
        }
        const isEnd = rows.length < entriesAtOnce
        // The last group may continue beyond the read rows: it is read again from its start, unless it is alone.
        if (!isEnd && groups.length > 1) groups.pop()
        const isWhole = isEnd || groups.length > 1 || rows.length > groups[0]!.items.length
        for (const { key, items } of groups) yield { key, items: isDescending ? items.reverse() : items, isWhole }
        if (isEnd) return
        last = groups.at(-1)!.key
        await setImmediate()
      }
    },

    /** Deletes some entries of an index, and answers whether there may be more. */
    async clearSome(trx: Db, id: number): Promise<boolean> {
      const { numDeletedRows } = await trx
        .deleteFrom('dataset_index_entry')
        .where('index_id', '=', id)
        .where(
          sql<boolean>`(value_key, item) in (select value_key, item from dataset_index_entry where index_id = ${id}
            order by value_key, item limit ${deletedAtOnce})`,
        )
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
  }
}
