/** The page of a query that selects items: a scan finds where it begins and ends, and goes no further. */

import { compareNumbers } from '../items/number-order.ts'
import type { Slice } from '../log/item-log.ts'
import type { Condition } from '../query/filter.ts'
import type { ItemQuery } from '../query/item-query.ts'
import { parseSummary } from '../summaries/summary.ts'
import { demandWanted } from './columns.ts'
import type { KeptLines } from './kept-lines.ts'
import { mapOrdered } from './ordered-map.ts'
import { planSlices } from './page.ts'
import type { SliceRenderer } from './slice-renderer.ts'
import type { ItemSource } from './sorted-page.ts'

export type SelectedPage = { readonly slices: readonly Slice[]; readonly count: number; readonly isFull: boolean }

/** Keeps each slice's outline, about a hundred bytes per megabyte of items, and its matching lines if there is room. */
export async function selectPage(
  log: ItemSource,
  key: number,
  total: number,
  query: ItemQuery,
  renderer: SliceRenderer,
  kept: KeptLines,
  isGone: () => boolean,
): Promise<SelectedPage> {
  const end = query.limit === null ? Number.POSITIVE_INFINITY : query.offset + query.limit
  const slices: Slice[] = []
  let found = 0
  let count = 0
  const select = async (slice: Slice) => ({
    slice,
    ...(mayMatch(slice, query) ? await renderer.select(slice, kept.left) : { count: 0, lines: null }),
  })
  for await (const { slice, count: matches, lines } of mapOrdered(
    planSlices(log, key, { from: 0, to: total }, query.desc),
    select,
  )) {
    demandWanted(isGone)
    const skip = Math.min(Math.max(query.offset - found, 0), matches)
    const take = Math.min(end - found, matches) - skip
    found += matches
    if (take > 0) {
      const isKept = lines !== null && take === matches && kept.keep(lines)
      const part = isKept ? { selected: lines } : { window: { skip, take } }
      slices.push({ ...slice, summary: null, isWhole: false, ...part })
    }
    count += Math.max(take, 0)
    if (found >= end) break
  }
  return { slices, count, isFull: found >= end }
}

/** A full chunk's summary has the least and greatest value of each field: chunks that can't match are not read. */
function mayMatch({ summary }: Slice, { filter }: ItemQuery): boolean {
  if (filter === null || summary === null) return true
  const ranges = new Map(parseSummary(summary).ranges)
  const may = (condition: Condition): boolean => {
    if (condition.kind === 'and') return condition.parts.every(may)
    if (condition.kind === 'or') return condition.parts.some(may)
    if (condition.kind !== 'comparison' || condition.path.length !== 1 || !/^[-\d]/.test(condition.value)) return true
    const range = ranges.get(condition.path[0]!)
    // The table of fields is bounded: an item may still have a field that is not in it.
    if (range === undefined) return ranges.size >= 10_000 || condition.path[0]!.length > 1_000
    if (range.min === null || range.max === null) return condition.operator === '!='
    const [least, greatest] = [compareNumbers(range.min, condition.value), compareNumbers(range.max, condition.value)]
    if (condition.operator === '=') return least <= 0 && greatest >= 0
    if (condition.operator === '<') return least < 0
    if (condition.operator === '<=') return least <= 0
    if (condition.operator === '>') return greatest > 0
    return condition.operator === '>=' ? greatest >= 0 : true
  }
  return may(filter)
}
