/** Pages of a counted list, the oldest first. The counts find the newest first, so a page is looked for from the other end. */
import type { Page, PageRequest } from '../lib/page.ts'
import type { CountedList } from './counted-list.ts'

/** Where a page starts in the list: skip so many of those from an id on, in the order that is asked for. */
export type Span = PageRequest & { readonly order: 'asc' | 'desc'; readonly highestId: number }

/** To skip so many rows takes less than to find the place by the counts, which is several queries. */
const nearOffset = 1_000

export async function readOldestFirst<T>(
  counted: CountedList,
  ownerId: number,
  { offset, limit }: PageRequest,
  read: (span: Span) => Promise<T[]>,
): Promise<Page<T>> {
  if (offset <= nearOffset) {
    const oldest: Span = { offset, limit, order: 'asc', highestId: Number.MAX_SAFE_INTEGER }
    const [total, items] = await Promise.all([counted.count(ownerId), read(oldest)])
    return { total, items }
  }
  const total = await counted.count(ownerId)
  const length = Math.min(limit, total - offset)
  if (length <= 0) return { total, items: [] }
  const { place } = await counted.locate(ownerId, total - offset - length)
  if (!place) return { total, items: [] }
  const items = await read({ offset: place.skip, limit: length, order: 'desc', highestId: place.highestId })
  return { total, items: items.reverse() }
}
