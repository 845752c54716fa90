/** JSON of long values: written in slices by bytes, so that nobody waits for another's answer, and hashed on the way. */
import { createHash } from 'node:crypto'
import { makeSlices } from '../../lib/scheduling/slices.ts'

/** A list that may be long, as a member of a body: its items are presented one at a time. */
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

/** In pieces, which together are too long to be copied into one. */
export type LongJson = { readonly pieces: readonly Buffer[]; readonly bytes: number; readonly sha1: string }

export const isLongJson = (value: unknown): value is LongJson =>
  typeof value === 'object' && value !== null && 'pieces' in value && 'sha1' in value

/** Asked for room before so many bytes are made; it may refuse. */
export type TakeRoom = (bytes: number) => Promise<void> | undefined

/** Of what weighs less, JSON.stringify makes text in a millisecond. */
const shortWeight = 64 * 1024
/** A text is escaped in parts of so many characters, each of which may come to six bytes. */
const partLength = 128 * 1024
const itemWeight = 100

/** As text where it is short. */
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
    // Half a pair would be escaped.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++
    yield JSON.stringify(text.slice(at, end)).slice(1, -1)
    at = end
  }
  yield '"'
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

/** About how long its JSON is; looks no further than `most`. */
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
