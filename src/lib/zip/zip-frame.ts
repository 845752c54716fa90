/** Writes a zip archive whose entries are streamed: their sizes follow their data, with 64 bits if needed. */
import { crc32, deflateRawSync } from 'node:zlib'
import { combineCrc } from './crc.ts'

/** Compressed bytes that can be appended to others in one entry, with the original's checksum and length. */
export type Packed = { readonly bytes: Uint8Array; readonly crc: number; readonly rawLength: number }

type Entry = {
  name: string
  offset: number
  crc: number
  packedLength: number
  rawLength: number
  isLarge: boolean
  mode: number
}

const limit32 = 0xffffffff
const limit16 = 0xffff
/** A regular Unix file, in the upper half of an entry's attributes. */
const plainFile = 0o100000
const madeByUnix = 3
const deflated = 8
/** Sizes in a descriptor after the data (bit 3), names in UTF-8 (bit 11). */
const flags = 0x0808
/** 1980-01-01, so that the same items give the same bytes. */
const dosDate = 0x21

export class ZipFrame {
  readonly #entries: Entry[] = []
  #offset = 0

  /** Writes a whole small entry. */
  add(name: string, content: string | Uint8Array, mode?: number): Buffer {
    const raw = Buffer.from(content)
    const bytes = deflateRawSync(raw)
    return Buffer.concat([
      this.open(name, false, mode),
      this.append({ bytes, crc: crc32(raw), rawLength: raw.length }),
      this.close(false),
    ])
  }

  /** Begins an entry; an entry that may exceed 4 GiB must say so in its header. `mode`: a Unix file's permissions. */
  open(name: string, mayBeLarge: boolean, mode = 0): Buffer {
    const sizes = { offset: this.#offset, crc: 0, packedLength: 0, rawLength: 0 }
    this.#entries.push({ name, ...sizes, isLarge: mayBeLarge, mode })
    const path = Buffer.from(name)
    const header = Buffer.alloc(30 + path.length + (mayBeLarge ? 20 : 0))
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(mayBeLarge ? 45 : 20, 4)
    header.writeUInt16LE(flags, 6)
    header.writeUInt16LE(deflated, 8)
    header.writeUInt16LE(dosDate, 12)
    header.writeUInt16LE(path.length, 26)
    path.copy(header, 30)
    if (mayBeLarge) {
      header.writeUInt32LE(limit32, 18)
      header.writeUInt32LE(limit32, 22)
      header.writeUInt16LE(20, 28)
      header.writeUInt16LE(1, 30 + path.length)
      header.writeUInt16LE(16, 32 + path.length)
    }
    return this.#count(header)
  }

  append({ bytes, crc, rawLength }: Packed): Buffer {
    const entry = this.#entries.at(-1)!
    entry.crc = entry.rawLength === 0 ? crc : combineCrc(entry.crc, crc, rawLength)
    entry.packedLength += bytes.length
    entry.rawLength += rawLength
    return this.#count(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  /** Ends the entry, with an empty last block if its parts left the deflate stream open. */
  close(isOpenStream: boolean): Buffer {
    const entry = this.#entries.at(-1)!
    const end = Buffer.from(isOpenStream ? [3, 0] : [])
    entry.packedLength += end.length
    const descriptor = Buffer.alloc(entry.isLarge ? 24 : 16)
    descriptor.writeUInt32LE(0x08074b50, 0)
    descriptor.writeUInt32LE(entry.crc, 4)
    if (entry.isLarge) {
      descriptor.writeBigUInt64LE(BigInt(entry.packedLength), 8)
      descriptor.writeBigUInt64LE(BigInt(entry.rawLength), 16)
    } else {
      if (Math.max(entry.packedLength, entry.rawLength) > limit32) throw new Error('A zip entry outgrew its header.')
      descriptor.writeUInt32LE(entry.packedLength, 8)
      descriptor.writeUInt32LE(entry.rawLength, 12)
    }
    return this.#count(Buffer.concat([end, descriptor]))
  }

  finish(): Buffer {
    const start = this.#offset
    const directory = Buffer.concat(this.#entries.map(writeDirectoryEntry))
    const count = this.#entries.length
    const isLarge = start + directory.length > limit32 || count >= limit16
    const tail = Buffer.alloc(22)
    tail.writeUInt32LE(0x06054b50, 0)
    tail.writeUInt16LE(Math.min(count, limit16), 8)
    tail.writeUInt16LE(Math.min(count, limit16), 10)
    tail.writeUInt32LE(Math.min(directory.length, limit32), 12)
    tail.writeUInt32LE(Math.min(start, limit32), 16)
    const large = isLarge ? [writeLargeEnd(count, start, directory.length)] : []
    return this.#count(Buffer.concat([directory, ...large, tail]))
  }

  #count(bytes: Buffer): Buffer {
    this.#offset += bytes.length
    return bytes
  }
}

function writeDirectoryEntry(entry: Entry): Buffer {
  const { name, offset, crc, packedLength, rawLength, isLarge, mode } = entry
  const path = Buffer.from(name)
  const wide = [rawLength, packedLength, offset].filter((size) => size >= limit32)
  const extra = wide.length > 0 ? 4 + 8 * wide.length : 0
  const header = Buffer.alloc(46 + path.length + extra)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(mode ? (madeByUnix << 8) | 45 : 45, 4)
  header.writeUInt16LE(isLarge || extra > 0 ? 45 : 20, 6)
  header.writeUInt16LE(flags, 8)
  header.writeUInt16LE(deflated, 10)
  header.writeUInt16LE(dosDate, 14)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(Math.min(packedLength, limit32), 20)
  header.writeUInt32LE(Math.min(rawLength, limit32), 24)
  header.writeUInt16LE(path.length, 28)
  header.writeUInt16LE(extra, 30)
  if (mode) header.writeUInt32LE(((plainFile | mode) << 16) >>> 0, 38)
  header.writeUInt32LE(Math.min(offset, limit32), 42)
  path.copy(header, 46)
  if (extra > 0) {
    header.writeUInt16LE(1, 46 + path.length)
    header.writeUInt16LE(extra - 4, 48 + path.length)
    for (const [i, size] of wide.entries()) header.writeBigUInt64LE(BigInt(size), 50 + path.length + 8 * i)
  }
  return header
}

/** The end record of 64 bits and its locator (APPNOTE 4.3.14 and 4.3.15). */
function writeLargeEnd(count: number, start: number, length: number): Buffer {
  const end = Buffer.alloc(76)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(45, 12)
  end.writeUInt16LE(45, 14)
  end.writeBigUInt64LE(BigInt(count), 24)
  end.writeBigUInt64LE(BigInt(count), 32)
  end.writeBigUInt64LE(BigInt(length), 40)
  end.writeBigUInt64LE(BigInt(start), 48)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeBigUInt64LE(BigInt(start + length), 64)
  end.writeUInt32LE(1, 72)
  return end
}
