/**
 * Previews a migration archive in the browser before it is sent. In our own, the records come first and the code after
 * them; in those of the public platform, in any order.
 */
import { Fault } from '../api/fault.ts'

export type ArchivePreview = {
  readonly repositories: readonly { readonly name: string; readonly isPrivate: boolean }[]
  readonly people: readonly string[]
  /** By type: `issues`, `pull_requests`. */
  readonly counts: readonly (readonly [type: string, count: number])[]
  /** Whether all records were seen. */
  readonly isWhole: boolean
}

const block = 512
/** The preview reads no more than this; the archive itself is sent whole. */
const mostBytes = 4 * 1024 * 1024 * 1024
const mostRecordBytes = 256 * 1024 * 1024
const mostNames = 500

type Json = { readonly [name: string]: unknown }

export async function readArchive(file: Blob): Promise<ArchivePreview> {
  const reader = makeReader(file)
  const repositories: { name: string; isPrivate: boolean }[] = []
  const people: string[] = []
  const counts = new Map<string, number>()
  let isSchemaSeen = false
  let recordBytes = 0
  let isWhole = false
  try {
    for (;;) {
      const head = await reader.take(block)
      if (head === undefined || head.every((byte) => byte === 0)) {
        isWhole = true
        break
      }
      const { path, size } = readHead(head)
      if (path.startsWith('repositories/') && isSchemaSeen && counts.size > 0) {
        isWhole = true
        break
      }
      const [, type] = /^([a-z_]+)_\d{6}\.json$/.exec(path) ?? []
      if (path === 'schema.json') isSchemaSeen = true
      const padded = Math.ceil(size / block) * block
      recordBytes += type ? size : 0
      if (recordBytes > mostRecordBytes || reader.total() + size > mostBytes) break
      if (!type) {
        if (!(await reader.skip(padded))) throw new Fault(0, 'The archive ends in the middle of a file.')
        continue
      }
      const data = await reader.take(padded)
      if (data === undefined) throw new Fault(0, 'The archive ends in the middle of a file.')
      const records = JSON.parse(new TextDecoder().decode(data.subarray(0, size))) as readonly Json[]
      counts.set(type, (counts.get(type) ?? 0) + records.length)
      for (const record of records) {
        if (type === 'repositories' && repositories.length < mostNames)
          repositories.push({ name: nameOf(record), isPrivate: record.private === true })
        if ((type === 'users' || type === 'bots') && people.length < mostNames) people.push(String(record.login))
      }
    }
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault(0, 'This is not a migration archive: it can’t be unpacked.')
  } finally {
    reader.end()
  }
  if (!isSchemaSeen && (isWhole || counts.size === 0))
    throw new Fault(0, 'This is not a migration archive: it has no schema.json.')
  return { repositories, people, counts: [...counts], isWhole }
}

function nameOf({ owner, name }: Json): string {
  const login = String(owner ?? '')
    .split('/')
    .at(-1)
  return `${login}/${String(name)}`
}

function readHead(head: Uint8Array): { path: string; size: number } {
  const text = (from: number, length: number) => {
    const part = head.subarray(from, from + length)
    const end = part.indexOf(0)
    return new TextDecoder().decode(end < 0 ? part : part.subarray(0, end))
  }
  const size = Number.parseInt(text(124, 12).trim() || '0', 8)
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('no size')
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : ''
  const path = prefix ? `${prefix}/${text(0, 100)}` : text(0, 100)
  return { path: path.replace(/^\.\//, ''), size }
}

/** Reads the unpacked stream in pieces of a requested size. */
function makeReader(file: Blob) {
  const stream = file
    .stream()
    .pipeThrough(new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>)
  const source = stream.getReader()
  let parts: Uint8Array[] = []
  let held = 0
  let total = 0
  function joined(): Uint8Array {
    const [first] = parts
    if (parts.length === 1 && first) return first
    const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      all.set(part, at)
      at += part.length
    }
    return all
  }
  return {
    total: () => total,
    end: () => void source.cancel().catch(() => undefined),
    /** Holds nothing. Answers whether there was so much. */
    async skip(size: number): Promise<boolean> {
      let left = size
      total += size
      for (;;) {
        const taken = Math.min(left, held)
        left -= taken
        held -= taken
        parts = [joined().subarray(taken)]
        if (left === 0) return true
        const { done, value } = await source.read()
        if (done) return false
        parts.push(value)
        held += value.length
      }
    },
    async take(size: number): Promise<Uint8Array | undefined> {
      while (held < size) {
        const { done, value } = await source.read()
        if (done) return undefined
        parts.push(value)
        held += value.length
      }
      const all = joined()
      parts = [all.subarray(size)]
      held -= size
      total += size
      return all.subarray(0, size)
    },
  }
}
