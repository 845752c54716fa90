/** The item log: items in push order, in chunks; a page by offset is a look-up, however long the log. */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { Failure } from '../../lib/failure.ts'
import { makeLruCache } from '../../lib/lru-cache.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { isFieldName, maxNames } from '../items/field-names.ts'
import { countLines, cutLines } from '../items/lines.ts'
import type { ScannedItems } from '../items/scan.ts'
import type { Window } from '../query/window.ts'
import { makeChunkCache } from './chunk-cache.ts'
import { claimKey, PushedBefore } from './push-keys.ts'

/** The approximate size of a full chunk: large enough to read fast, small enough to hold several in memory. */
export const fullChunkBytes = 1_048_576

/** A page of at most this many items is read through the chunk cache, unless it is one whole large chunk. */
const fewItems = 1_000
const smallChunkBytes = 131_072

const namesAtOnce = 500
const maxRemembered = 50_000
const namesBytes = 4 * 1024 * 1024
const measureNames = (names: readonly string[]) => names.reduce((sum, name) => sum + 2 * name.length + 16, 0)

/** Rows read at a time: their summaries are parsed in one turn of the event loop. */
const outlinesAtOnce = 32

/** The items from `from` up to, but not including, `to`. */
export type ItemRange = { readonly from: number; readonly to: number }

/**
 * Neighbouring chunks, one chunk, or a part of one, that are read at once. `summary` describes exactly these items, in
 * its stored form.
 */
export type Slice = ItemRange & {
  /** The length of the lines; for a part of a chunk an estimate. */
  readonly bytes: number
  readonly isWhole: boolean
  readonly hasHidden: boolean
  readonly summary: string | null
  /** The part of the selected items that belongs to the page; all if absent. */
  readonly window?: Window
  /** The lines of the selected items, if they were kept. */
  readonly selected?: Buffer
}

export type ItemLog = ReturnType<typeof makeItemLog>

export function makeItemLog({ store }: { store: Store }) {
  const knownNames = new Map<number, Set<string>>()
  const cache = makeChunkCache()
  const listedNames = makeLruCache<readonly string[]>(namesBytes)

  const grow = prepareQuery(
    store.db,
    (args: { key: number; count: number; clean: number; bytes: number; now: number }) =>
      store.db
        .updateTable('dataset')
        .set((eb) => ({
          item_count: eb('item_count', '+', args.count),
          clean_count: eb('clean_count', '+', args.clean),
          byte_count: eb('byte_count', '+', args.bytes),
          write_count: eb('write_count', '+', 1),
          modified_at: args.now,
          accessed_at: args.now,
        }))
        .where('id', '=', args.key)
        .returning(['item_count', 'write_count', 'index_version']),
  )

  type Chunk = { key: number; first: number; count: number; bytes: number; hidden: number; lines: Uint8Array }
  const insertChunk = prepareQuery(store.db, (args: Chunk) =>
    store.db.insertInto('dataset_chunk').values({
      dataset_id: args.key,
      first_item: args.first,
      item_count: args.count,
      byte_count: args.bytes,
      has_hidden: args.hidden,
      lines: args.lines,
      summary: null,
    }),
  )

  type Place = { key: number; from: number; to: number }
  /** Selects the chunk that contains `from` and those after it, up to `to`. */
  const rowsIn = ({ key, from, to }: Place) =>
    store.db
      .selectFrom('dataset_chunk')
      .where('dataset_id', '=', key)
      .where('first_item', '<', to)
      .where('first_item', '>=', (eb) =>
        eb
          .selectFrom('dataset_chunk')
          .select('first_item')
          .where('dataset_id', '=', key)
          .where('first_item', '<=', from)
          .orderBy('first_item', 'desc')
          .limit(1),
      )
      .orderBy('first_item')

  const chunksIn = prepareQuery(store.db, (place: Place) =>
    rowsIn(place).select(['first_item', 'item_count', 'byte_count', 'lines']),
  )

  const chunkAt = prepareQuery(store.db, ({ key, at }: { key: number; at: number }) =>
    store.db
      .selectFrom('dataset_chunk')
      .select(['first_item', 'item_count', 'byte_count'])
      .where('dataset_id', '=', key)
      .where('first_item', '<=', at)
      .orderBy('first_item', 'desc')
      .limit(1),
  )

  const outlinesIn = prepareQuery(store.db, (place: Place) =>
    rowsIn(place).select(['first_item', 'item_count', 'byte_count', 'has_hidden', 'summary']).limit(outlinesAtOnce),
  )

  async function noteNames(trx: Db, key: number, names: readonly string[]): Promise<string[]> {
    const known = knownNames.get(key)
    const fresh = names.filter((name) => isFieldName(name) && !known?.has(name))
    if (fresh.length === 0 || (known?.size ?? 0) >= maxNames) return []
    const stored = await trx.selectFrom('dataset_field').select('name').where('dataset_id', '=', key).execute()
    const all = new Set(stored.map(({ name }) => JSON.parse(name) as string))
    const added = fresh.filter((name) => !all.has(name)).slice(0, Math.max(0, maxNames - all.size))
    const rows = added.map((name, i) => ({
      dataset_id: key,
      name_hash: hashName(name),
      name: JSON.stringify(name),
      position: all.size + i,
    }))
    for (let i = 0; i < rows.length; i += namesAtOnce)
      await trx
        .insertInto('dataset_field')
        .values(rows.slice(i, i + namesAtOnce))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    return [...all, ...added]
  }

  async function readNames(key: number): Promise<readonly string[]> {
    const rows = await store.db
      .selectFrom('dataset_field')
      .select('name')
      .where('dataset_id', '=', key)
      .orderBy('position')
      .orderBy('name_hash')
      .execute()
    return rows.map(({ name }) => JSON.parse(name) as string)
  }

  async function explainMissing(key: number, { from, to }: ItemRange): Promise<Error> {
    const dataset = await store.db.selectFrom('dataset').select('id').where('id', '=', key).executeTakeFirst()
    return dataset ? new Error(`Items ${from} to ${to} of data set ${key} are missing.`) : removedMeanwhile()
  }

  async function findChunk(key: number, at: number) {
    const [chunk] = await chunkAt({ key, at })
    return chunk && at < chunk.first_item + chunk.item_count ? chunk : undefined
  }

  async function readMany(key: number, { from, to }: ItemRange, on?: Db): Promise<Buffer> {
    const parts: Buffer[] = []
    let next = from
    for (const { first_item, item_count, byte_count, lines } of await chunksIn({ key, from, to }, on)) {
      if (first_item > next || first_item + item_count <= next || lines.byteLength !== byte_count) continue
      const end = Math.min(to, first_item + item_count)
      parts.push(cutLines(asBuffer(lines), item_count, next - first_item, end - first_item))
      next = end
    }
    if (next < to) throw await explainMissing(key, { from: next, to })
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }

  /** SQLite answers synchronously: exports read at most one slice per turn of the event loop. */
  let lastTurn: Promise<void> = Promise.resolve()
  const takeTurn = (): Promise<void> => {
    lastTurn = lastTurn.then(() => setImmediate())
    return lastTurn
  }

  /** A page is a small part of a full chunk, so the chunk is cached for the next page. */
  async function readFew(key: number, range: ItemRange): Promise<Buffer> {
    const chunk = await findChunk(key, range.from)
    if (!chunk || range.to > chunk.first_item + chunk.item_count) return readMany(key, range)
    const { first_item: first, item_count: count } = chunk
    const isWhole = range.to - range.from === count
    if (isWhole && chunk.byte_count > smallChunkBytes) return readMany(key, range)
    const whole = () => readMany(key, { from: first, to: first + count })
    const lines = await cache.cut({ key, first, count }, range.from - first, range.to - first, whole)
    // The caller may transfer the memory of a whole chunk to a worker, so it gets a copy of the cached bytes.
    return isWhole ? Buffer.from(lines) : lines
  }

  return {
    /**
     * Appends the items of one push, all or none, and counts them. Answers whether they are new: with a key they are
     * stored once. `alongside` writes related rows in the same transaction.
     */
    async append(
      key: number,
      items: ScannedItems,
      now: number,
      pushKey: string | null,
      alongside: (trx: Db, indexVersion: number, first: number) => Promise<void> = async () => {},
    ): Promise<boolean> {
      const chunks = splitLines(items)
      const append = async (trx: Db) => {
        const { lines, count, cleanCount } = items
        const [grown] = await grow({ key, count, clean: cleanCount, bytes: lines.length, now }, trx)
        if (grown === undefined) throw removedMeanwhile()
        if (pushKey !== null)
          await claimKey(trx, { datasetKey: key, pushKey, pushNumber: grown.write_count, now }, lines)
        let first = grown.item_count - count
        for (const chunk of chunks) {
          const hidden = items.hiddenCount > 0 ? 1 : 0
          await insertChunk(
            { key, first, count: chunk.count, bytes: chunk.lines.length, hidden, lines: chunk.lines },
            trx,
          )
          first += chunk.count
        }
        if (grown.index_version > 0) await alongside(trx, grown.index_version, grown.item_count - count)
        return noteNames(trx, key, items.names)
      }
      const named = await store.write(append).catch((error) => {
        if (error instanceof PushedBefore) return null
        throw error
      })
      if (named === null) return false
      // Only now are the names committed: earlier, another push might have relied on a transaction that failed.
      if (named.length > 0) remember(key, named)
      return true
    },

    /** A data set with the same number of items has the same names. */
    fieldNames: (key: number, itemCount: number): Promise<readonly string[]> =>
      listedNames.get(`${key}/${itemCount}`, () => readNames(key), measureNames),

    /** The lines of exactly these items. */
    async read(key: number, range: ItemRange): Promise<Buffer> {
      if (range.to - range.from <= fewItems) return readFew(key, range)
      await takeTurn()
      return readMany(key, range)
    },

    /** The same, within a transaction that holds the data set's row. */
    readWithin: (trx: Db, key: number, range: ItemRange): Promise<Buffer> => readMany(key, range, trx),

    /**
     * The lines of single items in the order of their places, chunk by chunk. They are copies: a line would keep its
     * whole chunk in memory.
     */
    async *pick(key: number, places: readonly number[]): AsyncGenerator<readonly Buffer[]> {
      for (let i = 0; i < places.length; ) {
        const chunk = await findChunk(key, places[i]!)
        if (!chunk) throw await explainMissing(key, { from: places[i]!, to: places[i]! + 1 })
        const { first_item: first, item_count: count } = chunk
        const whole = () => readMany(key, { from: first, to: first + count })
        const cut = await cache.open({ key, first, count }, whole)
        const lines: Buffer[] = []
        for (; i < places.length && places[i]! >= first && places[i]! < first + count; i++)
          lines.push(Buffer.from(cut(places[i]! - first)))
        yield lines
        // SQLite answers synchronously: without yielding, a long list would block the event loop.
        if (i < places.length) await setImmediate()
      }
    },

    /** Splits the range into slices of about a full chunk. */
    async *plan(key: number, { from, to }: ItemRange): AsyncGenerator<Slice> {
      let next = from
      let open: Slice | null = null
      while (next < to) {
        const before = next
        // SQLite answers synchronously: without yielding, planning a long log would block the event loop.
        if (next > from) await setImmediate()
        const outlines = await outlinesIn({ key, from: next, to })
        for (const { first_item, item_count, byte_count, has_hidden, summary } of outlines) {
          const end = Math.min(to, first_item + item_count)
          if (end <= next || first_item > next) continue
          const isWhole = next === first_item && end === first_item + item_count
          const slice: Slice = {
            from: next,
            to: end,
            bytes: Math.ceil((byte_count * (end - next)) / item_count),
            isWhole,
            hasHidden: has_hidden === 1,
            summary: isWhole ? summary : null,
          }
          next = end
          const joined: Slice | null = open && joinSlices(open, slice)
          if (open && !joined) yield open
          open = joined ?? slice
        }
        if (next === before) throw await explainMissing(key, { from: next, to })
      }
      if (open) yield open
    },

    forget: (key: number) => knownNames.delete(key),
  }

  /** Caches the names of data sets that recently got new ones, up to fifty thousand names in all. */
  function remember(key: number, names: readonly string[]) {
    knownNames.delete(key)
    knownNames.set(key, new Set(names))
    let count = 0
    for (const [each, { size }] of [...knownNames].reverse()) {
      count += size + 10
      if (count > maxRemembered && each !== key) knownNames.delete(each)
    }
  }
}

const removedMeanwhile = () => new Failure('not-found', 'record-not-found', 'The data set was removed meanwhile.')

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const hashName = (name: string) => createHash('sha256').update(JSON.stringify(name)).digest('base64url')

function joinSlices(a: Slice, b: Slice): Slice | null {
  if (a.bytes + b.bytes > fullChunkBytes || a.summary || b.summary) return null
  return {
    from: a.from,
    to: b.to,
    bytes: a.bytes + b.bytes,
    isWhole: a.isWhole && b.isWhole,
    hasHidden: a.hasHidden || b.hasHidden,
    summary: null,
  }
}

/** Splits a large push into several chunks, so that none is slow to read. */
function splitLines({ lines, count }: ScannedItems): { lines: Buffer; count: number }[] {
  if (count === 0) return []
  if (lines.length <= fullChunkBytes) return [{ lines, count }]
  const chunks: { lines: Buffer; count: number }[] = []
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(0x0a, Math.min(start + fullChunkBytes, lines.length) - 1) + 1
    const part = lines.subarray(start, end)
    chunks.push({ lines: part, count: countLines(part) })
    start = end
  }
  return chunks
}
