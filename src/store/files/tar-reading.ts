/**
 * Reads a tar as a stream, strictly: only files and folders, with headers of bounded size; anything else is refused.
 */

export type TarEntry = {
  readonly name: string
  readonly type: 'file' | 'directory'
  readonly size: number
  /** Its bytes, readable once. What is not read is skipped. */
  readonly body: AsyncIterable<Buffer>
}

/** The archive contains something that must be refused. */
export class TarFault extends Error {}

const blockBytes = 512
/** A pax header is held in memory: one with a long name takes some hundred bytes. */
const maxHeaderBytes = 16 * 1024

export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const input = makeInput(source)
  let extended: ReadonlyMap<string, string> = new Map()
  async function readHeader(size: number): Promise<Buffer> {
    if (size > maxHeaderBytes) throw new TarFault('it has a header without end')
    const bytes = await input.readExactly(size)
    await input.skip(paddingOf(size))
    return bytes
  }
  for (;;) {
    const block = await input.readExactly(blockBytes)
    if (block.every((byte) => byte === 0)) break
    const header = parseHeader(block)
    if (header.flag === 'x') {
      extended = parseExtended(await readHeader(header.size))
      continue
    }
    // GNU tar puts a long name before its file. A header of the whole archive (pax `g`) has nothing for us.
    if (header.flag === 'L' || header.flag === 'g') {
      const bytes = await readHeader(header.size)
      if (header.flag === 'L') extended = new Map([['path', textOf(bytes)]])
      continue
    }
    const size = extended.has('size') ? parseWhole(extended.get('size')!) : header.size
    const name = extended.get('path') ?? header.name
    extended = new Map()
    const type = header.flag === '5' ? 'directory' : header.flag === '0' || header.flag === '\0' ? 'file' : undefined
    if (!type)
      throw new TarFault(`it holds ${JSON.stringify(name.slice(0, 200))}, which is neither a file nor a folder`)
    let left = type === 'file' ? size : 0
    async function* body(): AsyncGenerator<Buffer> {
      while (left > 0) {
        const chunk = await input.readSome(left)
        left -= chunk.length
        yield chunk
      }
    }
    const bytes = left
    yield { name, type, size: bytes, body: body() }
    await input.skip(left + paddingOf(bytes))
  }
  await input.drain()
}

const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

type Header = { readonly name: string; readonly size: number; readonly flag: string }

function parseHeader(block: Buffer): Header {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (sum !== parseOctal(block.subarray(148, 156))) throw new TarFault('one of its headers is damaged')
  const isUstar = block.toString('latin1', 257, 262) === 'ustar'
  const prefix = isUstar ? textOf(block.subarray(345, 500)) : ''
  const name = textOf(block.subarray(0, 100))
  return {
    name: prefix ? `${prefix}/${name}` : name,
    size: parseOctal(block.subarray(124, 136)),
    flag: String.fromCharCode(block[156]!),
  }
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? field.length : end)
}

/** Sizes of eight gibibytes and more are binary, marked by the first bit. */
function parseOctal(field: Buffer): number {
  if (field[0]! & 0x80) {
    if (field[0] !== 0x80) throw new TarFault('it tells a size that none can have')
    return field.subarray(1).reduce((value, byte) => demandSafe(value * 256 + byte), 0)
  }
  const text = textOf(field).trim()
  if (!/^[0-7]*$/.test(text)) throw new TarFault('one of its headers is damaged')
  return demandSafe(Number.parseInt(text || '0', 8))
}

function parseWhole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new TarFault('it tells a size that none can have')
  return Number(text)
}

function demandSafe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TarFault('it tells a size that none can have')
  return value
}

/** pax: lines of `LENGTH NAME=VALUE`, with the length of the whole line. */
function parseExtended(bytes: Buffer): Map<string, string> {
  const members = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = space < 0 ? Number.NaN : Number(bytes.toString('latin1', at, space))
    const end = at + length
    const equals = bytes.indexOf(0x3d, space)
    const isSound = Number.isInteger(length) && end <= bytes.length && equals > space && equals < end
    if (!isSound || bytes[end - 1] !== 0x0a) throw new TarFault('one of its headers is damaged')
    members.set(bytes.toString('utf8', space + 1, equals), bytes.toString('utf8', equals + 1, end - 1))
    at = end
  }
  return members
}

function makeInput(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  async function fill(): Promise<boolean> {
    const { value, done } = await chunks.next()
    if (done) return false
    held = held.length === 0 ? value : Buffer.concat([held, value])
    return true
  }

  async function readSome(most: number): Promise<Buffer> {
    while (held.length === 0) if (!(await fill())) throw new TarFault('its end is missing')
    const chunk = held.subarray(0, most)
    held = held.subarray(chunk.length)
    return chunk
  }

  return {
    readSome,
    /** Only for short lengths. */
    async readExactly(length: number): Promise<Buffer> {
      while (held.length < length) if (!(await fill())) throw new TarFault('its end is missing')
      const bytes = held.subarray(0, length)
      held = held.subarray(length)
      return bytes
    },
    async skip(length: number): Promise<void> {
      for (let left = length; left > 0; ) left -= (await readSome(left)).length
    },
    /** Reads the padding of the last tape block. */
    async drain(): Promise<void> {
      do held = Buffer.alloc(0)
      while (await fill())
    },
  }
}
