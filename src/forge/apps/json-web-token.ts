/**
 * JSON web tokens of apps (RFC 7519): only RS256, whatever their header says. Configuring a library to refuse the rest
 * would take as much code as this: one algorithm, three claims, and a key that is looked up and never taken from the
 * token.
 */
import { createPublicKey, verify } from 'node:crypto'
import { Failure } from '../../lib/failure.ts'

/** Ten minutes, and the tolerated difference between clocks. */
const longestSeconds = 600
const skewSeconds = 60
const longestText = 8_192
/** No valid time, in seconds, is beyond this. */
const maxTime = 2 ** 40

export type Claims = {
  readonly issuer: string
  readonly issuedAt: number
  readonly expiresAt: number
  readonly signed: Buffer
  readonly signature: Buffer
}

const refuse = (message: string): Failure => new Failure('unauthenticated', 'bad-web-token', message)
const undecodable = () => refuse('A JSON web token could not be decoded')

export const hasWebTokenForm = (text: string): boolean => /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(text)

/** Reads the claims and checks the times; the signature is not checked yet. */
export function readClaims(text: string, nowMs: number): Claims {
  const parts = text.split('.')
  if (text.length > longestText || parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part)))
    throw undecodable()
  const [head, body, signature] = parts as [string, string, string]
  if (parseObject(head).alg !== 'RS256') throw undecodable()
  const { iat, exp, iss } = parseObject(body)
  const [issuedAt, expiresAt] = demandTimely(iat, exp, nowMs)
  const issuer = typeof iss === 'number' ? String(iss) : iss
  if (typeof issuer !== 'string' || issuer.length > 100)
    throw refuse("'Issuer' claim ('iss') must be the app's id or client id")
  return {
    issuer,
    issuedAt,
    expiresAt,
    signed: Buffer.from(`${head}.${body}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

/** Published clients look for these sentences, and then set their clock by our Date header. */
export function demandTimely(iat: unknown, exp: unknown, nowMs: number): readonly [iat: number, exp: number] {
  const now = nowMs / 1000
  if (!isTime(iat) || iat > now + skewSeconds)
    throw refuse("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
  if (!isTime(exp) || exp <= now)
    throw refuse(
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    )
  if (exp > now + longestSeconds + skewSeconds || exp - iat > longestSeconds + skewSeconds)
    throw refuse("'Expiration time' claim ('exp') is too far in the future: ten minutes are the most")
  return [iat, exp]
}

/** Checks the signature against the app's own keys. */
export function demandSigned({ signed, signature }: Claims, publicKeys: readonly string[]): void {
  for (const pem of publicKeys) if (verify('RSA-SHA256', signed, createPublicKey(pem), signature)) return
  throw undecodable()
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < maxTime

function parseObject(part: string): Record<string, unknown> {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Unparsable text is refused like a value that is not an object.
  }
  throw undecodable()
}
