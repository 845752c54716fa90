/**
 * Addresses at which a token is authorized. Each is bound to one token, one organisation and one hour; a caller can
 * choose none of it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { generateSecret } from '../../lib/ids.ts'

/** From the contract: an address is valid for one hour. */
export const addressMs = 60 * 60 * 1000

export type SignOnAddress = { readonly tokenId: number; readonly expiresAt: number; readonly nonce: string }

type Key = { readonly organisationId: number; readonly signingKey: string }

const form = /^(\d{1,15})\.(\d{1,15})\.([\w-]{43})\.([\w-]{43})$/

export function makeAddress(key: Key, tokenId: number, now: number): string {
  const address = { tokenId, expiresAt: Math.floor((now + addressMs) / 1000) * 1000, nonce: generateSecret() }
  return `${spell(address)}.${sign(key, address)}`
}

/** Undefined if the address is not one of ours. The caller checks whether it has expired. */
export function readAddress(key: Key, text: string): SignOnAddress | undefined {
  const found = form.exec(text)
  if (!found) return undefined
  const [, tokenId, seconds, nonce = '', signature = ''] = found
  const address = { tokenId: Number(tokenId), expiresAt: Number(seconds) * 1000, nonce }
  const isOurs = timingSafeEqual(Buffer.from(sign(key, address)), Buffer.from(signature))
  return isOurs ? address : undefined
}

const spell = ({ tokenId, expiresAt, nonce }: SignOnAddress): string => `${tokenId}.${expiresAt / 1000}.${nonce}`

const sign = ({ organisationId, signingKey }: Key, address: SignOnAddress): string =>
  createHmac('sha256', signingKey)
    .update(`${organisationId}.${spell(address)}`)
    .digest('base64url')
