/** Pages of a counted list, oldest first. The counts are for newest first, so a page is located from the other end. */
import type { Page, PageRequest } from '../lib/page.ts'
import type { CountedList } from './counted-list.ts'

/** The start of a page: skip this many from an id on, in the given order. */
export type Span = PageRequest & { readonly order: 'asc' | 'desc'; readonly highestId: number }

/** Skipping this many rows is cheaper than locating the place by the counts, which takes several queries. */
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
