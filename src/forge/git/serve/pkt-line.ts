/** Git's pkt-lines: four hexadecimal digits of length, then the bytes; 0000 is a flush. */

export type Packet = { readonly kind: 'data'; readonly data: Buffer } | { readonly kind: 'flush' | 'delimiter' }

export class PacketFault extends Error {}

/** The packet that starts at `at`; undefined if it has not arrived whole. */
export function readPacket(bytes: Buffer, at: number): { packet: Packet; end: number } | undefined {
  if (bytes.length - at < 4) return undefined
  const digits = bytes.toString('latin1', at, at + 4)
  const length = /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : 3
  if (length === 0) return { packet: { kind: 'flush' }, end: at + 4 }
  if (length === 1 || length === 2) return { packet: { kind: 'delimiter' }, end: at + 4 }
  if (length === 3) throw new PacketFault('That is not a pkt-line.')
  if (bytes.length - at < length) return undefined
  return { packet: { kind: 'data', data: bytes.subarray(at + 4, at + length) }, end: at + length }
}

export function writePacket(data: string | Buffer): Buffer {
  const bytes = Buffer.from(data as string)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

export const flushPacket = Buffer.from('0000')
