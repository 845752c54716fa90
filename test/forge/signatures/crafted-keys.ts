/** PGP keys written packet by packet, as no program makes them: https://www.rfc-editor.org/rfc/rfc9580#section-5.5 */
import { createHash, randomBytes } from 'node:crypto'
import { frame } from './signing.ts'

export const hashIds = { sha1: 2, sha224: 11, sha256: 8 } as const

const uint32 = (number: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}

const uint16 = (number: number): Buffer => uint32(number).subarray(2)
const packet = (tag: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0xc0 | tag, 0xff), uint32(body.length), body])
const number = (bits: number): Buffer => {
  const bytes = randomBytes(bits / 8)
  bytes[0]! |= 0x80
  bytes[bytes.length - 1]! |= 1
  return Buffer.concat([uint16(bits), bytes])
}

export const rsaNumbers = (modulusBits: number, exponentBits: number): Buffer =>
  Buffer.concat([Buffer.of(1), number(modulusBits), number(exponentBits)])
/** p, q, g, y */
export const dsaNumbers = (): Buffer =>
  Buffer.concat([Buffer.of(17), number(2048), number(256), number(256), number(256)])

/** A key of these numbers with one user, whose signature names its digest rightly and is wrong. */
export function craftKey(numbers: Buffer, hash: keyof typeof hashIds = 'sha256'): string {
  const time = uint32(1_700_000_000)
  const key = Buffer.concat([Buffer.of(4), time, numbers])
  const user = Buffer.from('Slow <slow@example.org>')
  const named = Buffer.concat([Buffer.of(0x99), uint16(key.length), key])
  const print = createHash('sha1').update(named).digest()
  const parts = [Buffer.of(5, 2), time, Buffer.of(2, 27, 3, 22, 33, 4), print]
  const subpackets = Buffer.concat(parts)
  const head = Buffer.concat([Buffer.of(4, 0x13, numbers[0]!, hashIds[hash]), uint16(subpackets.length), subpackets])
  const digest = createHash(hash)
    .update(
      Buffer.concat([named, Buffer.of(0xb4), uint32(user.length), user, head, Buffer.of(4, 255), uint32(head.length)]),
    )
    .digest()
  const issuer = Buffer.concat([Buffer.of(9, 16), print.subarray(-8)])
  const values = numbers[0] === 1 ? number(1024) : Buffer.concat([number(256), number(256)])
  const signature = Buffer.concat([head, uint16(issuer.length), issuer, digest.subarray(0, 2), values])
  const bytes = Buffer.concat([packet(6, key), packet(13, user), packet(2, signature)])
  return `${frame('PGP PUBLIC KEY BLOCK', bytes.toString('base64')).replace('\n', '\n\n')}\n`
}
