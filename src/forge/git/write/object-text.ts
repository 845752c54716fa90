/** Git objects as bytes: the encoding of trees, object ids, and packs. */
import { createHash, type Hash, hash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate as deflateCallback } from 'node:zlib'
import { makeSlices, type Slices } from '../../../lib/scheduling/slices.ts'

const deflate = promisify(deflateCallback)

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'
export type NewObject = { readonly type: ObjectType; readonly bytes: Buffer; readonly sha: string }

/** The same for long content: hashed in slices. */
export async function makeLongObject(type: ObjectType, bytes: Buffer, slices = makeSlices()): Promise<NewObject> {
  const sha1 = createHash('sha1').update(`${type} ${bytes.length}\0`)
  await updateInSlices(sha1, bytes, slices)
  return { type, bytes, sha: sha1.digest('hex') }
}

async function updateInSlices(sha1: Hash, bytes: Buffer, slices: Slices): Promise<void> {
  for (let at = 0; at < bytes.length; at += hashedBytes) {
    sha1.update(bytes.subarray(at, at + hashedBytes))
    if (slices.isDue(Math.min(hashedBytes, bytes.length))) await slices.pause()
  }
}

const hashedBytes = 256 * 1024

export function makeObject(type: ObjectType, bytes: Buffer): NewObject {
  const sha = hash('sha1', Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]), 'hex')
  return { type, bytes, sha }
}

/** Names of entries are bytes, one character a byte (latin1): a tree may hold names that are not text. */
export type RawEntry = { readonly mode: string; readonly sha: string }
export type RawTree = Map<string, RawEntry>

/** Parses a tree in git's form: `mode name\0` and the twenty bytes of the object's id. */
export function parseTree(bytes: Buffer): RawTree {
  const entries: RawTree = new Map()
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(32, at)
    const nul = bytes.indexOf(0, blank)
    const mode = bytes.toString('latin1', at, blank).padStart(6, '0')
    entries.set(bytes.toString('latin1', blank + 1, nul), { mode, sha: bytes.toString('hex', nul + 1, nul + 21) })
    at = nul + 21
  }
  return entries
}

export const isTreeMode = (mode: string): boolean => mode === '040000'

export function spellTree(entries: RawTree): Buffer {
  // A folder sorts as if its name ended with a slash. One character is one byte, so strings compare as bytes do.
  const sortKey = ([name, { mode }]: [string, RawEntry]) => (isTreeMode(mode) ? `${name}/` : name)
  const keyed = [...entries].map((entry) => [sortKey(entry), entry] as const)
  keyed.sort(([a], [b]) => (a < b ? -1 : 1))
  return Buffer.concat(
    keyed.flatMap(([, [name, { mode, sha }]]) => [
      Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`, 'latin1'),
      Buffer.from(sha, 'hex'),
    ]),
  )
}

const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 }

/** gitformat-pack(5): a header with the count, each object compressed, and the SHA-1 of everything. */
export async function packObjects(objects: readonly NewObject[]): Promise<Buffer> {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(objects.length, 8)
  const parts: Buffer[] = [head]
  for (const { type, bytes } of objects) parts.push(spellHead(type, bytes.length), await deflate(bytes))
  const sha1 = createHash('sha1')
  const slices = makeSlices()
  for (const part of parts) await updateInSlices(sha1, part, slices)
  return Buffer.concat([...parts, sha1.digest()])
}

/** Type and size: four bits of the size beside the type, then seven a byte, the lowest first. */
function spellHead(type: ObjectType, size: number): Buffer {
  const bytes = [(typeNumbers[type] << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
