/** The headers of an export: pagination under both prefixes, type, file name and ETag. */
import type { Export } from '../../datasets/export/export.ts'
import { contentTypes } from '../../datasets/formats/frame.ts'

/** The contract's value for "no limit". */
const noLimit = 999_999_999_999

const pagination = ['Offset', 'Limit', 'Count', 'Total']

export const exposedHeaders = [
  ...pagination.flatMap((name) => [`X-Data-Pagination-${name}`, `X-Apify-Pagination-${name}`]),
  'X-Apify-Pagination-Desc',
  'X-Data-Dropped-Columns',
  'X-Data-Cut-Cells',
  'X-Data-Unknown-Parameters',
  'Idempotency-Replayed',
  'X-RateLimit-Limit',
  'X-Request-Id',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Content-Disposition',
  'Retry-After',
].join(', ')

export function itemHeaders(page: Export): Record<string, string> {
  const { query, dataset, count, total } = page
  const values = [query.offset, query.limit ?? noLimit, count, total]
  const headers: Record<string, string> = {
    'content-type': contentTypes[query.format],
    etag: page.etag,
    'cache-control': 'private, no-cache',
    vary: 'Authorization, Cookie',
    'x-apify-pagination-desc': String(query.desc),
  }
  for (const [i, name] of pagination.entries()) {
    headers[`x-data-pagination-${name.toLowerCase()}`] = String(values[i])
    headers[`x-apify-pagination-${name.toLowerCase()}`] = String(values[i])
  }
  if (page.isResumable) headers['accept-ranges'] = 'bytes'
  if (page.droppedColumns > 0) headers['x-data-dropped-columns'] = String(page.droppedColumns)
  if (page.cutCells > 0) headers['x-data-cut-cells'] = String(page.cutCells)
  if (query.attachment)
    headers['content-disposition'] = `attachment; filename="${dataset.name ?? dataset.id}.${query.format}"`
  // The page has inline styles, but no scripts and nothing external.
  if (query.format === 'html')
    headers['content-security-policy'] =
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
  return headers
}

/** Reads one range of bytes with an exclusive end. Null for an unsupported header, which is ignored. */
export function parseRange(
  header: string | undefined,
  length: number,
): { start: number; end: number } | 'beyond' | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first)
  const end = first === '' || last === '' ? length : Math.min(Number(last) + 1, length)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return start >= length || start >= end ? 'beyond' : { start, end }
}
