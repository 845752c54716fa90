/** Packs as nobody's git would write them, and pushes that send them. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export type PackEntry =
  | { readonly type: 'commit' | 'tree' | 'blob' | 'tag'; readonly bytes: Buffer; readonly size?: number }
  /** A delta against the entry that came so many places before. */
  | { readonly type: 'delta'; readonly back: number; readonly bytes: Buffer }

const types = { commit: 1, tree: 2, blob: 3, tag: 4, delta: 6 }

export function makePack(entries: readonly PackEntry[]): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(entries.length, 8)
  const parts = [head]
  const places: number[] = []
  let place = head.length
  for (const [i, entry] of entries.entries()) {
    const size = 'size' in entry ? (entry.size ?? entry.bytes.length) : entry.bytes.length
    const offset = entry.type === 'delta' ? writeOffset(place - places[i - entry.back]!) : Buffer.alloc(0)
    const whole = Buffer.concat([writeEntryHead(types[entry.type], size), offset, deflateSync(entry.bytes)])
    places.push(place)
    place += whole.length
    parts.push(whole)
  }
  const pack = Buffer.concat(parts)
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()])
}

/** A delta that writes the first 64 KiB of its base so many times, and then something of its own. */
export function repeatBase(baseBytes: number, times: number, own: string): Buffer {
  // A copy from the start without a length is one of 64 KiB.
  const copies = Buffer.alloc(times, 0x80)
  const insert = Buffer.from(own)
  const size = times * 0x10000 + insert.length
  return Buffer.concat([writeNumber(baseBytes), writeNumber(size), copies, Buffer.from([insert.length]), insert])
}

export const objectId = (type: string, bytes: Buffer | string): string =>
  createHash('sha1')
    .update(`${type} ${Buffer.byteLength(bytes)}\0`)
    .update(bytes)
    .digest('hex')

/** What a client sends that makes one ref. */
export function makePush(ref: string, after: string, pack: Buffer): Buffer {
  const command = `${'0'.repeat(40)} ${after} ${ref}\0 report-status side-band-64k`
  return Buffer.concat([Buffer.from(`${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`), pack])
}

function writeEntryHead(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16)
  const first = (type << 4) | (size % 16)
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 0x80]), writeNumber(rest)])
}

function writeNumber(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80)
  return Buffer.from([...bytes, left])
}

/** Highest bits first, and each step but the last one less than it says: so the format saves a byte now and then. */
function writeOffset(offset: number): Buffer {
  const bytes = [offset & 0x7f]
  for (let left = offset >> 7; left > 0; left >>= 7) bytes.unshift(0x80 | (--left & 0x7f))
  return Buffer.from(bytes)
}
