/** Query parameters that an address does not know are ignored, as the contract says, and named in a header, lest a slip of the pen go unseen. */
import { findUnknown, itemParameters } from '../../datasets/query/parameters.ts'
import type { HttpRequest } from '../http-request.ts'
import type { Reply } from './reply.ts'
import { readQuery } from './request.ts'

export const unknownHeader = 'x-data-unknown-parameters'

/** What each address knows, by method, beside the token that all do. */
const known: { readonly [address: string]: readonly string[] } = {
  'GET /datasets': ['offset', 'limit', 'desc', 'unnamed'],
  'POST /datasets': ['name'],
  'GET /datasets/:datasetId/items': itemParameters,
  'GET /datasets/:datasetId/items/live': ['offset', 'signature'],
  'POST /datasets/:datasetId/items': ['delimiter', 'guessTypes'],
}

export function noteUnknownParameters(request: HttpRequest, reply: Reply, path: string): void {
  if (!request.url.includes('?')) return
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const unknown = findUnknown(readQuery(request).keys(), ['token', ...(known[`${method} ${path}`] ?? [])])
  if (unknown.length === 0) return
  const told = unknown.map(({ name, nearest }) => {
    const spelled = encodeURIComponent(name.toWellFormed()) || '""'
    return nearest ? `${spelled}; nearest=${nearest}` : spelled
  })
  reply.header(unknownHeader, told.join(', '))
}
