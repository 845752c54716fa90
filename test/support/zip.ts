/** Zips as no honest program would write them, and honest ones too. */
import { crc32, deflateRawSync } from 'node:zlib'

export type ZipEntry = {
  readonly path: string
  readonly data?: string | Buffer
  /** Packed; true unless told. */
  readonly isPacked?: boolean
  /** What the archive says, where that is not the truth. */
  readonly crc?: number
  readonly declaredSize?: number
  readonly flags?: number
  readonly method?: number
  /** Unix file type and mode. */
  readonly mode?: number
  /** What system made the entry, as APPNOTE 4.4.2 numbers them; Unix unless told. */
  readonly system?: number
}

const utf8Names = 0x800

export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { local, central } = writeEntry(entry, offset)
    locals.push(local)
    centrals.push(central)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

export const toBase64 = (entries: readonly ZipEntry[]): string => makeZip(entries).toString('base64')

function writeEntry(entry: ZipEntry, offset: number): { local: Buffer; central: Buffer } {
  const { path, data = '', isPacked = true, flags = utf8Names, mode = 0o100644, system = 3 } = entry
  const content = Buffer.from(data)
  const packed = isPacked ? deflateRawSync(content) : content
  const name = Buffer.from(path)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(flags, 2)
  common.writeUInt16LE(entry.method ?? (isPacked ? 8 : 0), 4)
  common.writeUInt32LE(entry.crc ?? crc32(content), 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(entry.declaredSize ?? content.length, 18)
  common.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([word(0x04034b50), common, name, packed])
  const madeBy = Buffer.from([20, system])
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE((mode << 16) >>> 0, 6)
  rest.writeUInt32LE(offset, 10)
  return { local, central: Buffer.concat([word(0x02014b50), madeBy, common, rest, name]) }
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
