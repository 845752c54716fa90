/** The archive of a migration as it is sent: whole or in part, to whoever has its signed address. */

import { readRange } from '../../byte-range.ts'
import type { Answer } from '../answer.ts'
import type { Call } from '../route.ts'

export async function sendArchive(call: Call<unknown, unknown, { readonly guid: string }>): Promise<Answer> {
  const { forge, params, query } = call
  const signed = { expires: query.whole('expires', 0), signature: query.text('signature') ?? '' }
  const { hash, bytes: length, read } = await forge.migrations.openArchive(params.guid, signed)
  const etag = `"${hash}"`
  const headers = {
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename=migration-${params.guid}.tar.gz`,
  }
  const range = readRange(call.header('range'), call.header('if-range'), { etag, length })
  if (range === 'unsatisfiable') {
    const body = { message: 'The archive has no such range.', status: '416' }
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${length}` }, body }
  }
  const type = 'application/gzip'
  if (!range) return { status: 200, headers, raw: { type, length, etag, bytes: () => read(), isLasting: true } }
  const { start, end } = range
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end}/${length}` },
    raw: { type, length: end - start + 1, etag, bytes: () => read(range) },
  }
}
