/**
 * Inspects a pack as it arrives, before git has it. A pack states the size of each object, and the result size of each
 * delta, so a pack that unfolds to far more than was sent is refused before anything is unfolded.
 * https://git-scm.com/docs/pack-format
 */
import { constants, createInflate, type Inflate, inflateSync } from 'node:zlib'

export type PackBounds = {
  /** The largest object that git must hold whole: a tree, a commit, a tag, or the result of a delta. */
  readonly objectBytes: number
  /** The most that all objects may unfold to: this many bytes, plus `unfoldRatio` for each byte sent. */
  readonly unfoldBytes: number
  readonly unfoldRatio: number
}

/** Why a pack is refused, in words for the pusher. */
export class PackRefused extends Error {}

export type PackInspection = {
  /** Throws `PackRefused`. Call it with the whole pack, in order. */
  take(bytes: Buffer): Promise<void>
  /** The size of all objects so far, including the results of deltas. */
  readonly unfoldedBytes: number
  close(): void
}

const commitType = 1
const blobType = 3
const tagType = 4
const offsetDeltaType = 6
const refDeltaType = 7

const headBytes = 12
const idBytes = 20
/** The format stores seven bits of a number in a byte: no size or offset that git can have is longer. */
const maxNumberBytes = 10
/** A type and a size, then an offset or an id. */
const maxEntryHeadBytes = maxNumberBytes + idBytes
/** A delta begins with the size of its base and the size of its result. */
const maxDeltaHeadBytes = 2 * maxNumberBytes
/** An object up to this size that is already in the buffer is inflated in one call, which is several times faster. */
const smallObjectBytes = 64 * 1024

/** The object whose data come next in the pack. */
type Entry = { readonly type: number; readonly size: number }
type Inflating = { readonly entry: Entry; readonly inflate: Inflate; inflated: number; start: Buffer; taken: number }

export function makePackInspection({ objectBytes, unfoldBytes, unfoldRatio }: PackBounds): PackInspection {
  let unread: Buffer = Buffer.alloc(0)
  /** How many objects are still to come; undefined before the pack's header. */
  let left: number | undefined
  let passedBytes = 0
  let unfoldedBytes = 0
  let current: Inflating | undefined

  function pass(count: number): void {
    unread = unread.subarray(count)
    passedBytes += count
  }

  function readHead(): boolean {
    if (unread.length < headBytes) return false
    if (unread.toString('latin1', 0, 4) !== 'PACK') throw malformed()
    left = unread.readUInt32BE(8)
    pass(headBytes)
    return true
  }

  function demandObject(size: number): void {
    if (size > objectBytes) throw tooLargeObject(size, objectBytes)
  }

  function count(size: number): void {
    unfoldedBytes += size
    if (unfoldedBytes > unfoldBytes + unfoldRatio * passedBytes) throw tooMuch()
  }

  /** Undefined if the buffer does not hold all of it yet. */
  function readEntry(): Entry | undefined {
    if (unread.length === 0) return undefined
    const first = unread[0]!
    const type = (first >> 4) & 7
    const rest = first & 0x80 ? readNumber(unread, 1, maxNumberBytes) : { value: 0, end: 1 }
    if (!rest) return undefined
    const size = rest.value * 16 + (first & 15)
    let { end } = rest
    if (type === offsetDeltaType) {
      const offset = readNumber(unread, end, maxNumberBytes)
      if (!offset) return undefined
      end = offset.end
    } else if (type === refDeltaType) {
      end += idBytes
      if (unread.length < end) return undefined
    } else if (type < commitType || type > tagType) throw malformed()
    pass(end)
    demandSize(size)
    // Git holds a delta and its result in memory; it streams files, however large.
    if (type !== blobType) demandObject(size)
    count(size)
    return { type, size }
  }

  function countDelta(start: Buffer): void {
    const base = readNumber(start, 0, maxNumberBytes)
    const result = base && readNumber(start, base.end, maxNumberBytes)
    if (!result) throw malformed()
    demandSize(base.value)
    demandSize(result.value)
    demandObject(base.value)
    demandObject(result.value)
    count(result.value)
  }

  /** Answers whether the buffer held the whole object. */
  function inflateAtOnce({ type, size }: Entry): boolean {
    if (size > smallObjectBytes || unread.length === 0) return false
    try {
      const options = { info: true, maxOutputLength: size + 1, chunkSize: Math.max(constants.Z_MIN_CHUNK, size + 1) }
      const { buffer, engine } = inflateSync(unread, options) as unknown as { buffer: Buffer; engine: Inflate }
      if (buffer.length !== size) throw malformed()
      pass(engine.bytesWritten)
      if (isDelta(type)) countDelta(buffer)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR') return false
      throw error instanceof PackRefused ? error : malformed()
    }
  }

  function begin(entry: Entry): Inflating {
    const inflate = createInflate()
    const begun: Inflating = { entry, inflate, inflated: 0, start: Buffer.alloc(0), taken: 0 }
    inflate.on('data', (chunk: Buffer) => {
      begun.inflated += chunk.length
      if (begun.start.length < maxDeltaHeadBytes) {
        begun.start = Buffer.concat([begun.start, chunk.subarray(0, maxDeltaHeadBytes)])
      }
      // An object that states a smaller size than it has must not be inflated to its end.
      if (begun.inflated > entry.size) inflate.destroy(malformed())
    })
    return begun
  }

  /** Inflates the part of the object that has arrived. Answers whether that completed it. */
  async function inflateOn(begun: Inflating): Promise<boolean> {
    const { inflate, entry } = begun
    const isAtEnd = await feed(inflate, unread)
    const taken = inflate.bytesWritten - begun.taken
    begun.taken = inflate.bytesWritten
    pass(taken)
    if (!isAtEnd) return false
    if (begun.inflated !== entry.size) throw malformed()
    if (isDelta(entry.type)) countDelta(begun.start)
    return true
  }

  /** Answers whether it made progress. */
  async function step(): Promise<boolean> {
    if (left === undefined) return readHead()
    if (left === 0) {
      // These bytes are the pack's checksum, which git verifies.
      pass(unread.length)
      return false
    }
    if (!current) {
      const entry = readEntry()
      if (!entry) {
        if (unread.length > maxEntryHeadBytes) throw malformed()
        return false
      }
      if (inflateAtOnce(entry)) {
        left--
        return true
      }
      current = begin(entry)
    }
    if (unread.length === 0 || !(await inflateOn(current))) return false
    current = undefined
    left--
    return true
  }

  return {
    async take(bytes) {
      unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes])
      while (await step());
    },
    get unfoldedBytes() {
      return unfoldedBytes
    },
    close() {
      current?.inflate.destroy()
    },
  }
}

const isDelta = (type: number) => type === offsetDeltaType || type === refDeltaType

/** Reads a number: seven bits a byte, the lowest first. The high bit says that more bytes follow. */
function readNumber(bytes: Buffer, at: number, maxBytes: number): { value: number; end: number } | undefined {
  let value = 0
  let unit = 1
  for (let end = at; end < bytes.length; unit *= 128) {
    const byte = bytes[end++]!
    value += (byte & 0x7f) * unit
    if (byte < 0x80) return { value, end }
    if (end - at >= maxBytes) throw malformed()
  }
  return undefined
}

/** Beyond this, a number is not exact, and git may read another one. */
function demandSize(size: number): void {
  if (size > Number.MAX_SAFE_INTEGER) throw malformed()
}

/** Writes bytes to zlib, which takes those of its own stream. Answers whether the stream ended. */
function feed(inflate: Inflate, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stopListening = () => {
      inflate.off('error', fail)
      inflate.off('end', end)
    }
    function fail(error: Error): void {
      stopListening()
      reject(error instanceof PackRefused ? error : malformed())
    }
    function end(): void {
      stopListening()
      resolve(true)
    }
    inflate.on('error', fail)
    inflate.on('end', end)
    inflate.write(bytes, () => {
      // zlib emits the end of the stream a moment after it took the last bytes.
      setImmediate(() => {
        stopListening()
        resolve(inflate.readableEnded)
      })
    })
  })
}

const malformed = () => new PackRefused('The pack is malformed.')

const tooLargeObject = (size: number, bound: number) =>
  new PackRefused(
    `The push has an object of ${inMib(size)} MiB that must be held whole; this server takes ${inMib(bound)} MiB (pushObjectMib).`,
  )

const tooMuch = () =>
  new PackRefused(
    'The push unfolds to far more than was sent: push fewer commits at a time, or ask for other limits (pushUnfoldMib, pushUnfoldRatio).',
  )

const inMib = (bytes: number) => Math.ceil(bytes / (1024 * 1024))
