/**
 * Signed addresses of an archive: bound to one file of one migration and to a time, and to nothing a caller chooses.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** How long an address is valid. */
export const addressMs = 5 * 60 * 1000

export type Signed = { readonly expires: number; readonly signature: string }

type Signing = { readonly guid: string; readonly signing_key: string; readonly archive_hash: string | null }

export function signArchive(migration: Signing, now: number): Signed {
  const expires = Math.floor((now + addressMs) / 1000)
  return { expires, signature: makeSignature(migration, expires) }
}

/** `expired`: the signature is ours, but its time is over. */
export function checkSignature(migration: Signing, given: Signed, now: number): 'good' | 'expired' | 'wrong' {
  const wanted = Buffer.from(makeSignature(migration, given.expires))
  const found = Buffer.from(given.signature)
  if (wanted.length !== found.length || !timingSafeEqual(wanted, found)) return 'wrong'
  return given.expires * 1000 > now ? 'good' : 'expired'
}

const makeSignature = ({ guid, signing_key, archive_hash }: Signing, expires: number): string =>
  createHmac('sha256', signing_key).update(`${guid}\n${archive_hash}\n${expires}`).digest('base64url')
