/** Of requests and responses what several wires ask alike. */
import type { Asked } from './asked.ts'

/** Browsers name it in what they accept; programs do not. */
export const isForPeople = ({ headers }: Pick<Asked, 'headers'>): boolean =>
  headers.accept?.includes('text/html') ?? false

/** RFC 9110, section 13.1.2: If-None-Match uses the weak comparison. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  // What most clients send is one mark, as they were given it.
  if (header === etag || header.trim() === '*') return true
  const plain = strip(etag)
  return header.split(',').some((part) => strip(part.trim()) === plain)
}

const strip = (etag: string) => etag.replace(/^W\//, '')
