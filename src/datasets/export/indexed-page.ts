/** Finds a query's items by indexes: look-ups instead of a scan or a sort, if they find few enough items. */

import { findMatches, quickSelectionBytes } from '../formats/selection.ts'
import { maxKeyBytes } from '../index-keys/index-key.ts'
import { findIndex, type Lookup, planLookup, planPoint } from '../index-keys/lookup-plan.ts'
import type { Index } from '../indexes/definitions.ts'
import type { Indexes } from '../indexes/indexes.ts'
import type { ItemLog } from '../log/item-log.ts'
import { orderKey } from '../order/item-key.ts'
import type { ItemQuery } from '../query/item-query.ts'
import { isOrdered } from '../query/order.ts'
import type { WorkerPool } from '../workers/worker-pool.ts'
import { makePickedItems, type PickedItems } from './picked-items.ts'

/** Beyond this, scanning in threads is faster. */
const mostPicked = 20_000
const leastWorth = 1_000
/** More lines than this are matched in a thread. */
const smallBytes = 128 * 1024
const portionBytes = 1024 * 1024

type Needs = {
  readonly log: Pick<ItemLog, 'pick'>
  readonly workers: WorkerPool
  readonly caller: string
  readonly lookups: Indexes['lookups']
  readonly indexes: readonly Index[]
}

type Stored = { readonly key: number; readonly itemCount: number }

/** The items found: the page itself, or all items that it is made from. */
export type IndexedItems = { readonly items: PickedItems; readonly isPage: boolean }

/** Null if no index helps. */
export async function findByIndexes(
  needs: Needs,
  dataset: Stored,
  query: ItemQuery,
  demandWanted: () => void,
): Promise<IndexedItems | null> {
  const { indexes, lookups } = needs
  if (indexes.length === 0) return null
  const found = (await findSelected(needs, dataset, query, demandWanted)) ?? (await findSorted(needs, dataset, query))
  // A removed index loses its entries, so some may have been missed.
  return found && (await lookups.areAlive(indexes.map(({ id }) => id))) ? found : null
}

async function findSelected(
  needs: Needs,
  dataset: Stored,
  query: ItemQuery,
  demandWanted: () => void,
): Promise<IndexedItems | null> {
  const { filter, offset, limit, desc } = query
  if (filter === null) return null
  const { itemCount: total } = dataset
  const most = Math.min(mostPicked, Math.max(leastWorth, Math.floor(total / 8)))
  const paths = needs.indexes.map(({ path }) => path)
  const point = isOrdered(query) || query.search !== null ? null : planPoint(filter, paths)
  if (point && (limit ?? Number.POSITIVE_INFINITY) <= most && needs.indexes[point.index]!.itemCount >= total) {
    const places = await needs.lookups.page(needs.indexes[point.index]!.id, point.key, total, desc, offset, limit!)
    return { items: await gather(needs, dataset, places, query, { offset: 0, limit }, demandWanted), isPage: true }
  }
  const lookup = planLookup(filter, paths)
  if (lookup === null) return null
  const covered = Math.min(total, ...listUsed(lookup).map((index) => needs.indexes[index]!.itemCount))
  if (total - covered > most) return null
  const candidates = await collect(needs, lookup, covered, most)
  if (candidates === null) return null
  for (let place = covered; place < total; place++) candidates.push(place)
  if (isOrdered(query))
    return { items: await gather(needs, dataset, candidates, query, null, demandWanted), isPage: false }
  if (desc) candidates.reverse()
  return { items: await gather(needs, dataset, candidates, query, query, demandWanted), isPage: true }
}

const listUsed = (lookup: Lookup): number[] =>
  lookup.kind === 'range' ? [lookup.index] : lookup.parts.flatMap(listUsed)

/** The places of all candidate items below `end`, sorted; null if they are too many. */
async function collect(needs: Needs, lookup: Lookup, end: number, most: number): Promise<number[] | null> {
  if (lookup.kind === 'range') {
    if (lookup.range === null) return []
    return needs.lookups.collect(needs.indexes[lookup.index]!.id, lookup.range, end, most)
  }
  if (lookup.kind === 'or') {
    const all = new Set<number>()
    for (const part of lookup.parts) {
      const found = await collect(needs, part, end, most)
      if (found === null) return null
      for (const place of found) all.add(place)
    }
    return all.size > most ? null : [...all].sort((a, b) => a - b)
  }
  let least: number[] | null = null
  for (const part of lookup.parts) {
    // Reading many more entries than there are candidates would take longer than looking at the candidates.
    const found: number[] | null = await collect(
      needs,
      part,
      end,
      least ? Math.min(most, 10 * least.length + 100) : most,
    )
    if (found === null) continue
    const chosen: Set<number> = new Set(found)
    least = least ? least.filter((place) => chosen.has(place)) : found
  }
  return least
}

/** Reads the items at these places, keeps those that the query selects, and takes the page. */
async function gather(
  { log, workers, caller }: Needs,
  { key }: Stored,
  places: readonly number[],
  query: ItemQuery,
  page: Pick<ItemQuery, 'offset' | 'limit'> | null,
  demandWanted: () => void,
): Promise<PickedItems> {
  const items = makePickedItems(log, key)
  const selection = { filter: query.filter, search: query.search }
  const hereBytes = Math.min(smallBytes, quickSelectionBytes(selection))
  let skip = page?.offset ?? 0
  const take = page?.limit ?? Number.POSITIVE_INFINITY
  const lines = log.pick(key, places)
  let done = 0
  for (let isOver = false; !isOver && items.count < take; ) {
    const portion: Buffer[] = []
    let bytes = 0
    await workers.inTurn(caller, async () => {
      // Reads no more than may be needed.
      while (bytes < portionBytes && portion.length < skip + take - items.count) {
        const { value, done: isLast } = await lines.next()
        isOver = isLast === true
        if (isOver) break
        for (const line of value as readonly Buffer[]) {
          portion.push(line)
          bytes += line.length
        }
      }
      const whole = Buffer.concat(portion)
      const matches =
        bytes <= hereBytes
          ? findMatches(whole, selection)
          : await workers.runWanted('match', whole, { selection }, demandWanted)
      for (const at of matches) {
        if (skip > 0) skip--
        else if (items.count < take) items.add(places[done + at]!, portion[at]!)
      }
    })
    demandWanted()
    done += portion.length
  }
  await lines.return(undefined)
  return items
}

/** A page of a sorted answer, in the order of one field's index; items with equal keys are sorted separately. */
async function findSorted(needs: Needs, dataset: Stored, query: ItemQuery): Promise<IndexedItems | null> {
  const { sort, distinct, filter, search, limit, offset, desc } = query
  const [first] = sort
  if (!first || distinct.length > 0 || filter !== null || search !== null || limit === null || limit > mostPicked)
    return null
  const index =
    needs.indexes[
      findIndex(
        first.path,
        needs.indexes.map(({ path }) => path),
      )
    ]
  if (!index || index.itemCount < dataset.itemCount) return null
  const { log, lookups } = needs
  const { key, itemCount: total } = dataset
  const places: number[] = []
  let skip = offset
  for await (const group of lookups.walk(index.id, first.isDescending)) {
    const isFine = sort.length > 1 || group.key.length === maxKeyBytes
    if (!group.isWhole && !isFine) {
      const some = await lookups.page(index.id, group.key, total, desc, skip, limit - places.length)
      places.push(...some)
      if (some.length === 0) skip -= Math.min(skip, await lookups.count(index.id, group.key, total))
      else skip = 0
    } else if (!group.isWhole) return null
    else {
      const items = group.items.filter((place) => place < total)
      if (skip >= items.length) {
        skip -= items.length
        continue
      }
      if (isFine) await sortFinely(items)
      else if (desc) items.reverse()
      places.push(...items.slice(skip, skip + limit - places.length))
      skip = 0
    }
    if (places.length >= limit) break
  }
  const items = makePickedItems(log, key)
  await items.addAll(places)
  return { items, isPage: true }

  async function sortFinely(items: number[]): Promise<void> {
    const keys = new Map<number, Buffer>()
    let at = 0
    for await (const some of log.pick(key, items))
      for (const line of some) {
        const place = items[at++]!
        const text = line.toString('utf8', 0, line.length - 1)
        keys.set(place, orderKey(text, query, desc ? total - 1 - place : place))
      }
    items.sort((a, b) => Buffer.compare(keys.get(a)!, keys.get(b)!))
  }
}
