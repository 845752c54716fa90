/** Ids and secrets: uuids, request ids, opaque secrets and the hashes they are stored as. */
import { hash, randomBytes, randomInt } from 'node:crypto'

const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const secretLength = 43

/** 256 random bits in characters that are safe in a header, a cookie and a URL. */
export const generateSecret = (): string => randomBytes(32).toString('base64url')

export function generateAlphanumeric(length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += alphanumeric[randomInt(alphanumeric.length)]
  return text
}

/** A secret is stored as its SHA-256: it has enough entropy that neither a salt nor a slow hash is needed. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

/** A request id is a random prefix of this process and a number: every request needs one, so it must be cheap. */
export function makeRequestNames(): () => string {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${++count}`
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A uuid is 8-4-4-4-12 hexadecimal digits of any case and version; the nil uuid counts, too. */
export const isUuid = (text: unknown): text is string => typeof text === 'string' && uuidPattern.test(text)
