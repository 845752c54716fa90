/** Pages of a counted list, the oldest first. The counts find the newest first, so a page is looked for from the other end. */
import type { Page, PageRequest } from '../base/page.ts'
import type { CountedList } from './counted-list.ts'

/** The newest so many of those up to an id, after leaving out some. */
export type NewestSpan = { readonly highestId: number; readonly skip: number; readonly limit: number }

export async function readOldestFirst<T>(
  counted: CountedList,
  ownerId: number,
  { offset, limit }: PageRequest,
  readNewest: (span: NewestSpan) => Promise<T[]>,
): Promise<Page<T>> {
  const { total } = await counted.locate(ownerId, 0)
  const length = Math.min(limit, total - offset)
  if (length <= 0) return { total, items: [] }
  const { place } = await counted.locate(ownerId, total - offset - length)
  if (!place) return { total, items: [] }
  const items = await readNewest({ ...place, limit: length })
  return { total, items: items.reverse() }
}
