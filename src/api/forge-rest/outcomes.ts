/** The most common responses: done, yes or no, a page of a list, a list that continues after an id. */

import { notFound } from '../../forge/failures.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { sinceLink } from './query.ts'
import { list, noContent, ok, type RestAnswer } from './rest-answer.ts'
import type { ForgeCall } from './route.ts'
import type { View } from './view.ts'

export async function done(act: Promise<unknown>): Promise<RestAnswer> {
  await act
  return noContent()
}

/** 204 for yes, 404 for no. */
export async function whether(question: Promise<boolean>): Promise<RestAnswer> {
  if (!(await question)) throw notFound()
  return noContent()
}

export const pageOf = async <T>(
  found: Page<T> | Promise<Page<T>>,
  present: (item: T, view: View) => unknown,
  view: View,
): Promise<RestAnswer> => list(await found, (item) => present(item, view))

/** A page of a list that is in memory. */
export const slice = <T>(items: readonly T[], { offset, limit }: PageRequest): Page<T> => ({
  total: items.length,
  items: items.slice(offset, offset + limit),
})

/** For lists that are continued after an id, however long they are. */
export async function allSince<T extends { readonly id: number }>(
  { query, page, view, address }: ForgeCall,
  find: (since: number, limit: number) => Promise<readonly T[]>,
  present: (item: T, view: View) => unknown,
): Promise<RestAnswer> {
  const found = await find(query.whole('since', 0), page.limit)
  const last = found.length === page.limit ? found.at(-1) : undefined
  return ok(
    found.map((item) => present(item, view)),
    last && { link: sinceLink(address, last.id) },
  )
}
