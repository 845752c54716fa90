/** Byte ranges of a file (RFC 9110, section 14): the requested range, or that it can't be satisfied. */

export type ByteRange = { readonly start: number; readonly end: number }

/**
 * Undefined if the whole file is to be sent: the request asks for no range, for several, for one in an unknown syntax,
 * or the file has changed since (`If-Range`, which demands an identical validator).
 */
export function readRange(
  range: string | undefined,
  ifRange: string | undefined,
  { etag, length }: { readonly etag: string; readonly length: number },
): ByteRange | 'unsatisfiable' | undefined {
  if (range === undefined || (ifRange !== undefined && ifRange.trim() !== etag)) return undefined
  const found = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(range.trim())
  if (!found || (found[1] === '' && found[2] === '')) return undefined
  const [first, last] = [found[1]!, found[2]!]
  if (first === '') {
    const count = Math.min(Number(last), length)
    return count === 0 ? 'unsatisfiable' : { start: length - count, end: length - 1 }
  }
  const start = Number(first)
  const end = last === '' ? length - 1 : Math.min(Number(last), length - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= length ? 'unsatisfiable' : { start, end }
}
