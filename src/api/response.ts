/** Checks of requests and responses that several APIs share. */
import type { CredentialRequest } from './identity/credentials.ts'

/** Browsers prefer HTML to anything else; programs prefer another type or accept any. */
export function isForPeople({ headers }: Pick<CredentialRequest, 'headers'>): boolean {
  const { accept } = headers
  if (!accept?.includes('text/html')) return false
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
  })
  const most = Math.max(...ranges.map(({ quality }) => quality))
  return most > 0 && ranges.find(({ quality }) => quality === most)!.type === 'text/html'
}

/** RFC 9110, section 13.1.2: If-None-Match uses the weak comparison. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  // Most clients send back exactly the one ETag that they received.
  if (header === etag || header.trim() === '*') return true
  const plain = strip(etag)
  return header.split(',').some((part) => strip(part.trim()) === plain)
}

const strip = (etag: string) => etag.replace(/^W\//, '')
