/** Ranges of a file (RFC 9110, section 14): the one that is asked for, or that it can't be given. */

export type ByteRange = { readonly start: number; readonly end: number }

/**
 * Undefined where the whole is to be sent: no range is asked for, several are, it is not understood, or the file is
 * another by now (`If-Range`, which wants the very same validator).
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
