/** The stored items of a page, and the slices in which they are read. */
import type { ItemRange, Slice } from '../log/item-log.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { ItemSource } from './sorted-page.ts'

type Paging = Pick<ItemQuery, 'offset' | 'limit' | 'desc'>

/** Offset and limit count stored items, from the newest one if the order is descending. */
export function pickPage(total: number, { offset, limit, desc }: Paging): ItemRange {
  const start = Math.min(offset, total)
  const end = limit === null ? total : Math.min(start + limit, total)
  return desc ? { from: total - end, to: total - start } : { from: start, to: end }
}

/** Items are only ever appended: a full page can't change. */
export const isFixedPage = (total: number, { offset, limit, desc }: Paging): boolean =>
  !desc && limit !== null && offset + limit <= total

/** Yields the slices in the order of the answer. For descending order, all must be known before the first. */
export async function* planSlices(
  log: ItemSource,
  key: number,
  range: ItemRange,
  desc: boolean,
): AsyncGenerator<Slice> {
  if (!desc) {
    yield* log.plan(key, range)
    return
  }
  const slices: Slice[] = []
  for await (const slice of log.plan(key, range)) slices.push({ ...slice, summary: null })
  yield* slices.reverse()
}
