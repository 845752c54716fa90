/**
 * Query parameters that an address does not know are ignored, as the contract says, and named in a header so that a
 * typing error is noticed.
 */
import type { FastifyReply } from 'fastify'
import { findUnknown, itemParameters } from '../../datasets/query/parameters.ts'
import { type DatasetRequest, type Query, readQuery } from './request.ts'

export const unknownHeader = 'x-data-unknown-parameters'

/** The parameters of each address and method, except the token that all accept. */
const known: { readonly [address: string]: readonly string[] } = {
  'GET /datasets': ['offset', 'limit', 'desc', 'unnamed', 'search'],
  'POST /datasets': ['name'],
  'GET /datasets/:datasetId/items': itemParameters,
  'GET /datasets/:datasetId/items/live': ['offset', 'signature'],
  'POST /datasets/:datasetId/items': ['delimiter', 'guessTypes'],
}

export function noteUnknownParameters(request: DatasetRequest, reply: FastifyReply, path: string): void {
  const query = readQuery(request)
  if (query.size === 0) return
  const told = tellUnknown(query, `${request.method === 'HEAD' ? 'GET' : request.method} ${path}`)
  if (told !== '') reply.header(unknownHeader, told)
}

function tellUnknown(query: Query, address: string): string {
  const told = findUnknown(query.keys(), ['token', ...(known[address] ?? [])]).map(({ name, nearest }) => {
    const spelled = encodeURIComponent(name.toWellFormed()) || '""'
    return nearest ? `${spelled}; nearest=${nearest}` : spelled
  })
  return told.join(', ')
}
