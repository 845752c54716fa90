/**
 * Public keys in OpenSSH's format (`ssh-ed25519 AAAA… comment`): which kinds are accepted, and what is wrong with
 * others. https://www.rfc-editor.org/rfc/rfc4253#section-6.6, RFC 5656, RFC 8709
 */
import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { Failure } from '../../lib/failure.ts'

export type PublicKey = {
  readonly algorithm: string
  readonly bytes: Buffer
  /** Algorithm and base64, as stored and shown. */
  readonly text: string
  /** `SHA256:…`, as ssh-keygen spells it. */
  readonly fingerprint: string
  readonly key: KeyObject
}

export const minRsaBits = 2048
/** Longer keys cost more to verify than they are worth. */
export const maxRsaBits = 8192
export const maxKeyText = 16 * 1024

/** `coordinate`: the bytes of each coordinate of a point. */
const curves: Readonly<Record<string, { crv: string; coordinate: number }>> = {
  nistp256: { crv: 'P-256', coordinate: 32 },
  nistp384: { crv: 'P-384', coordinate: 48 },
  nistp521: { crv: 'P-521', coordinate: 66 },
}

/** Throws a PublicKeyRefused that tells the sender what is wrong with the key. */
export function parsePublicKey(given: string): PublicKey {
  const line = given.trim()
  if (line.length > maxKeyText || /[\r\n]/.test(line))
    throw wrong('is not one public key: give the one line of a .pub file')
  if (/PRIVATE KEY/.test(line)) throw wrong('is a private key, which nobody else may see: give the .pub file')
  const [algorithm = '', base64 = ''] = line.split(/[ \t]+/)
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw wrong('is not in OpenSSH’s form: it begins with ssh-ed25519, say')
  return readPublicKey(Buffer.from(base64, 'base64'), algorithm)
}

/** `named`: the algorithm that the line or the client claims. */
export function readPublicKey(bytes: Buffer, named?: string): PublicKey {
  const fields = readFields(bytes)
  const algorithm = fields[0]?.toString('latin1') ?? ''
  if (named !== undefined && named !== algorithm) throw wrong('says one algorithm and is of another')
  const text = `${algorithm} ${bytes.toString('base64')}`
  const fingerprint = `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')}`
  return { algorithm, bytes, text, fingerprint, key: makeKey(algorithm, fields.slice(1)) }
}

function makeKey(algorithm: string, fields: readonly Buffer[]): KeyObject {
  const [first, second] = fields
  if (algorithm === 'ssh-ed25519' && fields.length === 1 && first?.length === 32)
    return fromJwk({ kty: 'OKP', crv: 'Ed25519', x: first.toString('base64url') })
  if (algorithm === 'ssh-rsa' && fields.length === 2) return makeRsa(first!, second!)
  const curve = /^ecdsa-sha2-(nistp\d+)$/.exec(algorithm)?.[1]
  const known = curve !== undefined && Object.hasOwn(curves, curve) ? curves[curve] : undefined
  if (known && fields.length === 2 && first?.toString('latin1') === curve) return makeElliptic(known, second!)
  const isTaken = algorithm === 'ssh-ed25519' || algorithm === 'ssh-rsa' || known !== undefined
  throw wrong(isTaken ? 'is damaged' : `is of the kind ${nameKind(algorithm)}, which is not taken: use ${takenKinds}`)
}

export const takenKinds = `ssh-ed25519, ecdsa-sha2-nistp256, -nistp384 or -nistp521, or ssh-rsa of ${minRsaBits} bits or more`

function makeRsa(exponent: Buffer, modulus: Buffer): KeyObject {
  const [e, n] = [withoutZeros(exponent), withoutZeros(modulus)]
  const bits = n.length === 0 ? 0 : n.length * 8 - Math.clz32(n[0]!) + 24
  if (bits < minRsaBits) throw wrong(`is of ssh-rsa with ${bits} bits, which is too few: use ${takenKinds}`)
  const isUsual = bits <= maxRsaBits && e.length > 0 && e.length <= 8 && e[e.length - 1]! % 2 === 1
  if (!isUsual) throw wrong(`is of ssh-rsa with ${bits} bits or an odd exponent: ${maxRsaBits} bits are taken at most`)
  return fromJwk({ kty: 'RSA', e: e.toString('base64url'), n: n.toString('base64url') })
}

function makeElliptic({ crv, coordinate }: { crv: string; coordinate: number }, point: Buffer): KeyObject {
  if (point.length !== 1 + 2 * coordinate || point[0] !== 4) throw wrong('is damaged')
  const [x, y] = [point.subarray(1, 1 + coordinate), point.subarray(1 + coordinate)]
  return fromJwk({ kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') })
}

/** OpenSSL refuses a point that is not on the curve. */
function fromJwk(jwk: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    throw wrong('is damaged')
  }
}

/** Reads the strings of SSH's wire format: four bytes of length, then the bytes. */
export function readFields(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = at + 4 <= bytes.length ? bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY
    if (at + 4 + length > bytes.length || fields.length >= 16) throw wrong('is damaged')
    fields.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return fields
}

function withoutZeros(bytes: Buffer): Buffer {
  let at = 0
  while (at < bytes.length && bytes[at] === 0) at++
  return bytes.subarray(at)
}

const nameKind = (algorithm: string) => (/^[a-z0-9@.-]{1,60}$/i.test(algorithm) ? algorithm : 'that nobody knows')

/** A refused key. The reason is also shown to clients that offer it over SSH. */
export class PublicKeyRefused extends Failure {
  readonly reason: string

  constructor(reason: string) {
    super('invalid', 'validation-failed', 'Validation Failed', {
      faults: [{ field: 'key', code: 'custom', reason: `key ${reason}.` }],
    })
    this.reason = reason
  }
}

const wrong = (reason: string) => new PublicKeyRefused(reason)
