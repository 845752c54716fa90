/** Stored files as answers: whole, or the part that is asked for. */
import type { Readable } from 'node:stream'
import type { Answer } from '../answer.ts'

export type ServedFile = { readonly hash: string; readonly size: number }
export type ByteRange = { readonly start: number; readonly end: number }

/** One range of bytes (RFC 9110); several, or what can't be read, count as none. `undefined`: nothing of it is there. */
export function readRange(header: string | undefined, size: number): ByteRange | 'all' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return 'all'
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(to) < start) return 'all'
  return start < size && start <= end ? { start, end } : undefined
}

/** Its validator is its own hash, so that what broke off can be gone on with. */
export function serveFile(
  { hash, size }: ServedFile,
  type: string,
  { range: header, headers }: { readonly range: string | undefined; readonly headers: Record<string, string> },
  open: (range: ByteRange | undefined) => Promise<Readable | Buffer>,
): Answer {
  const range = readRange(header, size)
  const etag = `"${hash}"`
  const all = { ...headers, 'accept-ranges': 'bytes' }
  if (range === undefined) return { status: 416, headers: { ...all, 'content-range': `bytes */${size}` } }
  if (range === 'all') {
    const raw = { type, length: size, etag, bytes: () => open(undefined), isLasting: true }
    return { status: 200, headers: all, raw }
  }
  const { start, end } = range
  return {
    status: 206,
    headers: { ...all, 'content-range': `bytes ${start}-${end}/${size}` },
    raw: { type, length: end - start + 1, etag, bytes: () => open(range) },
  }
}
