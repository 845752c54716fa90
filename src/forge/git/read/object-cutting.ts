/**
 * Cuts long commits in the output of `cat-file --batch` as it arrives: a commit's message may have megabytes, and a
 * list shows its beginning. The size in the header becomes that of the part kept.
 */

/** Messages that people write are shorter, even with the changes of a whole release. */
const mostBytes = 32 * 1024

const lineEnd = 10
const nothing = Buffer.alloc(0)
const ellipsis = Buffer.from('…')

/** Answers the part of each chunk that is kept; some may come with a later chunk. */
export function makeCommitCutter(most = mostBytes): (chunk: Buffer) => Buffer {
  /** A line, or the beginning of a long commit, that has not arrived whole. */
  let waiting: Buffer = nothing
  let long: { readonly head: string; readonly size: number } | undefined
  let copied = 0
  let dropped = 0

  /** The next bytes to output, and where the remaining input begins; undefined if more input is needed. */
  function step(bytes: Buffer): { told: Buffer; end: number } | undefined {
    if (dropped > 0) return pass(Math.min(dropped, bytes.length), bytes, false)
    if (copied > 0) return pass(Math.min(copied, bytes.length), bytes, true)
    return long ? cut(bytes, long) : readHead(bytes)
  }

  function pass(length: number, bytes: Buffer, isKept: boolean) {
    if (isKept) copied -= length
    else dropped -= length
    return { told: isKept ? bytes.subarray(0, length) : nothing, end: length }
  }

  function readHead(bytes: Buffer) {
    const end = bytes.indexOf(lineEnd) + 1
    if (end === 0) return undefined
    const [name = '', type, size] = bytes.toString('latin1', 0, end - 1).split(' ')
    const isObject = size !== undefined && /^\d+$/.test(size)
    if (type === 'commit' && isObject && Number(size) > most) {
      long = { head: `${name} ${type}`, size: Number(size) }
      return { told: nothing, end }
    }
    copied = isObject ? Number(size) + 1 : 0
    return { told: bytes.subarray(0, end), end }
  }

  function cut(bytes: Buffer, { head, size }: NonNullable<typeof long>) {
    if (bytes.length < most) return undefined
    long = undefined
    const begun = bytes.subarray(0, most)
    // The headers alone exceed the limit: pass the commit whole, because the author may stand at their end.
    if (!begun.includes('\n\n')) {
      copied = size + 1
      return { told: Buffer.from(`${head} ${size}\n`), end: 0 }
    }
    let end = most
    while ((begun[end - 1]! & 0xc0) === 0x80) end--
    if (begun[end - 1]! >= 0xc0) end--
    dropped = size - most
    copied = 1
    return {
      told: Buffer.concat([Buffer.from(`${head} ${end + ellipsis.length}\n`), begun.subarray(0, end), ellipsis]),
      end: most,
    }
  }

  return (chunk) => {
    let bytes = waiting.length > 0 ? Buffer.concat([waiting, chunk]) : chunk
    const told: Buffer[] = []
    while (bytes.length > 0) {
      const done = step(bytes)
      if (!done) break
      told.push(done.told)
      bytes = bytes.subarray(done.end)
    }
    waiting = bytes
    return told.length === 1 ? told[0]! : Buffer.concat(told)
  }
}
