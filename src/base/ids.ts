/** Names for things: uuids, opaque secrets and the hashes they are stored by. */
import { hash, randomBytes, randomInt } from 'node:crypto'

const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const secretLength = 43

/** 256 random bits as characters that are safe in a header, a cookie and an address. */
export const drawSecret = (): string => randomBytes(32).toString('base64url')

export function drawAlphanumeric(length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += alphanumeric[randomInt(alphanumeric.length)]
  return text
}

/** A secret is stored as its SHA-256: it carries enough chance of its own that no salt or slow hash is needed. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

/** Names for requests: a start of this process's own, and a number. Each request has one, so it must cost nothing. */
export function makeRequestNames(): () => string {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${++count}`
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** 8-4-4-4-12 hexadecimal digits, any case, any version, nil too. */
export const isUuid = (text: unknown): text is string => typeof text === 'string' && uuidPattern.test(text)
