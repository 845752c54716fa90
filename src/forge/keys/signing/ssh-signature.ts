/** Signatures as `ssh-keygen -Y sign` makes them: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig */
import { createHash, type KeyObject, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { readFields, readPublicKey } from '../public-key.ts'

export type SshSignature = {
  /** Of the key that it names. */
  readonly fingerprint: string
  isOf(payload: Buffer): Promise<boolean>
}

const magic = Buffer.from('SSHSIG')
const namespace = 'git'
const hashes: readonly string[] = ['sha256', 'sha512']
const maxText = 16 * 1024
const frame = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\s*$/

const verifyInThread = promisify(verify)

/** Throws where it is none. */
export function parseSshSignature(text: string): SshSignature {
  const base64 = text.length <= maxText ? frame.exec(text.replaceAll('\r\n', '\n'))?.[1] : undefined
  if (base64 === undefined) throw new Error('that is no SSH signature')
  const bytes = Buffer.from(base64, 'base64')
  const isKnown = bytes.subarray(0, 6).equals(magic) && bytes.length > 10 && bytes.readUInt32BE(6) === 1
  if (!isKnown) throw new Error('that is no SSH signature of the first version')
  const [key, where, reserved, hash, signature, ...more] = readFields(bytes.subarray(10))
  if (!key || !where || !reserved || !hash || !signature || more.length > 0) throw new Error('parts are missing')
  const hashName = hash.toString('latin1')
  if (!hashes.includes(hashName)) throw new Error('the hash is unknown')
  const { fingerprint, algorithm, key: publicKey } = readPublicKey(key)
  const [format, raw, ...rest] = readFields(signature)
  if (!format || !raw || rest.length > 0) throw new Error('the signature is damaged')

  return {
    fingerprint,
    async isOf(payload) {
      if (where.toString('latin1') !== namespace) return false
      const digest = createHash(hashName).update(payload).digest()
      const signed = Buffer.concat([magic, ...[where, reserved, hash, digest].flatMap(spell)])
      return verifyRaw(algorithm, publicKey, format.toString('latin1'), raw, signed)
    },
  }
}

async function verifyRaw(
  algorithm: string,
  key: KeyObject,
  format: string,
  raw: Buffer,
  signed: Buffer,
): Promise<boolean> {
  if (algorithm === 'ssh-rsa') {
    // SHA-1 is not taken.
    const hash = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }[format]
    return hash !== undefined && verifyInThread(hash, signed, key, raw)
  }
  if (format !== algorithm) return false
  if (algorithm === 'ssh-ed25519') return raw.length === 64 && verifyInThread(null, signed, key, raw)
  const curve = curves[algorithm]
  const [r, s, ...more] = readFields(raw)
  if (!curve || !r || !s || more.length > 0) return false
  const parts = [r, s].map((part) => fit(part, curve.bytes))
  if (parts.some((part) => part === undefined)) return false
  return verifyInThread(curve.hash, signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(parts as Buffer[]))
}

/** RFC 5656, section 6.2.1 */
const curves: Readonly<Record<string, { hash: string; bytes: number }>> = {
  'ecdsa-sha2-nistp256': { hash: 'sha256', bytes: 32 },
  'ecdsa-sha2-nistp384': { hash: 'sha384', bytes: 48 },
  'ecdsa-sha2-nistp521': { hash: 'sha512', bytes: 66 },
}

/** A number of any length as one of so many bytes. */
function fit(number: Buffer, bytes: number): Buffer | undefined {
  const digits = number.subarray(number.findIndex((byte) => byte !== 0))
  return digits.length <= bytes ? Buffer.concat([Buffer.alloc(bytes - digits.length), digits]) : undefined
}

const spell = (field: Buffer): Buffer[] => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(field.length)
  return [length, field]
}
