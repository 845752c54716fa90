/** Query parameters that an address does not know are ignored, as the contract says, and named in a header, lest a slip of the pen go unseen. */
import { findUnknown, itemParameters } from '../../datasets/query/parameters.ts'
import type { HttpRequest } from '../http-request.ts'
import type { Reply } from './reply.ts'
import { type Query, readQuery } from './request.ts'

export const unknownHeader = 'x-data-unknown-parameters'

/** What each address knows, by method, beside the token that all do. */
const known: { readonly [address: string]: readonly string[] } = {
  'GET /datasets': ['offset', 'limit', 'desc', 'unnamed'],
  'POST /datasets': ['name'],
  'GET /datasets/:datasetId/items': itemParameters,
  'GET /datasets/:datasetId/items/live': ['offset', 'signature'],
  'POST /datasets/:datasetId/items': ['delimiter', 'guessTypes'],
}

/** A query that came before was looked at already, at the address that it came to. */
const looked = new WeakMap<Query, { readonly address: string; readonly told: string }>()

export function noteUnknownParameters(request: HttpRequest, reply: Reply, path: string): void {
  const query = readQuery(request)
  if (query.size === 0) return
  const address = `${request.method === 'HEAD' ? 'GET' : request.method} ${path}`
  let found = looked.get(query)
  if (found?.address !== address) {
    found = { address, told: tellUnknown(query, address) }
    looked.set(query, found)
  }
  if (found.told !== '') reply.header(unknownHeader, found.told)
}

function tellUnknown(query: Query, address: string): string {
  const told = findUnknown(query.keys(), ['token', ...(known[address] ?? [])]).map(({ name, nearest }) => {
    const spelled = encodeURIComponent(name.toWellFormed()) || '""'
    return nearest ? `${spelled}; nearest=${nearest}` : spelled
  })
  return told.join(', ')
}
