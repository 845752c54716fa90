/**
 * Long values as JSON: written in slices of bytes, so that nobody waits for another's response, and hashed meanwhile.
 */
import { createHash } from 'node:crypto'
import { makeSlices } from '../../lib/scheduling/slices.ts'

/** A member of a body that may be a long list: its items are presented one at a time. */
export class LongList<T> {
  readonly #items: readonly T[]
  readonly #present: (item: T) => unknown
  constructor(items: readonly T[], present: (item: T) => unknown) {
    this.#items = items
    this.#present = present
  }
  get length(): number {
    return this.#items.length
  }
  *[Symbol.iterator](): Generator<unknown> {
    for (const item of this.#items) yield this.#present(item)
  }
  toJSON(): unknown[] {
    return [...this]
  }
}

/** In pieces, which are too long to be copied into one buffer. */
export type LongJson = { readonly pieces: readonly Buffer[]; readonly bytes: number; readonly sha1: string }

export const isLongJson = (value: unknown): value is LongJson =>
  typeof value === 'object' && value !== null && 'pieces' in value && 'sha1' in value

/** Reserves memory before so many bytes are produced; it may refuse. */
export type TakeRoom = (bytes: number) => Promise<void> | undefined

/** JSON.stringify writes less than this in a millisecond. */
const shortWeight = 64 * 1024
/** A text is escaped in parts of so many characters, each of which may become six bytes. */
const partLength = 128 * 1024
const itemWeight = 100

/** Returns a string if it is short. */
export async function stringifyInSlices(value: unknown, takeRoom?: TakeRoom): Promise<string | LongJson> {
  if (weigh(value, shortWeight) < shortWeight) return JSON.stringify(value)
  const slices = makeSlices()
  const hash = createHash('sha1')
  const pieces: Buffer[] = []
  let bytes = 0
  let text = ''
  const flush = async () => {
    const piece = Buffer.from(text)
    text = ''
    await takeRoom?.(piece.length)
    hash.update(piece)
    pieces.push(piece)
    bytes += piece.length
    if (slices.isDue(piece.length)) await slices.pause()
  }
  for (const part of write(value)) {
    text += part
    if (text.length >= shortWeight) await flush()
  }
  await flush()
  return { pieces, bytes, sha1: hash.digest('hex') }
}

function* write(value: unknown): Generator<string> {
  if (weigh(value, shortWeight) < shortWeight) yield JSON.stringify(value) ?? 'null'
  else if (typeof value === 'string') yield* writeText(value)
  else if (Array.isArray(value) || value instanceof LongList) {
    let opening = '['
    for (const item of value) {
      yield opening
      yield* write(item)
      opening = ','
    }
    yield opening === '[' ? '[]' : ']'
  } else {
    let opening = '{'
    for (const [name, member] of Object.entries(value as object)) {
      if (member === undefined) continue
      yield `${opening}${JSON.stringify(name)}:`
      yield* write(member)
      opening = ','
    }
    yield opening === '{' ? '{}' : '}'
  }
}

function* writeText(text: string): Generator<string> {
  yield '"'
  for (let at = 0; at < text.length; ) {
    let end = at + partLength
    // Half of a surrogate pair would be escaped.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++
    yield JSON.stringify(text.slice(at, end)).slice(1, -1)
    at = end
  }
  yield '"'
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

/** The approximate length of its JSON; stops at `most`. */
function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let weight = 2
  if (Array.isArray(value)) {
    for (const item of value) {
      weight += 1 + weigh(item, most - weight)
      if (weight >= most) break
    }
  } else if (value instanceof LongList) weight += value.length * itemWeight
  else
    for (const name in value) {
      weight += name.length + 4 + weigh((value as Record<string, unknown>)[name], most - weight)
      if (weight >= most) break
    }
  return weight
}
