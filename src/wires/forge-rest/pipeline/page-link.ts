/** The Link header of a page of a list. */
import { linkHeader, makeQuery, readPage } from '../query.ts'
import type { RequestContext } from './request-context.ts'

export function pageLink({ request, route, origin }: RequestContext, total: number): string | undefined {
  const query = makeQuery(request.query)
  return linkHeader(origin + request.url, total, readPage(query, route.pageSize!))
}
