/** Answers: what a handler returns, before it is serialized into bytes and headers. */
import { isUtf8 } from 'node:buffer'
import { createHash, hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Page } from '../../base/page.ts'
import { makeSlices } from '../../base/slices.ts'
import type { RateStatus } from '../../forge/limits/limits.ts'
import { isSameView, type View } from './view.ts'

export type Answer = {
  readonly status: number
  /** JSON, bytes of another type, or a stream of them; undefined for none. */
  readonly body?: unknown
  /** The body, serialized already, with its ETag. */
  readonly serialized?: SerializedBody
  readonly raw?: Raw
  /** How many there are in all, for a page of a list. */
  readonly total?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Where the handler itself has charged the caller: what is left of the budget. */
  readonly rateStatus?: RateStatus
}

/** Begins a flow of bytes, once it is decided that somebody wants them; what is short comes at once. */
export type OpenFlow = () => Promise<Readable | Buffer>

/** What flows tells its length and its validator, where they are known. */
export type Raw = {
  readonly type: string
  readonly bytes: Buffer | OpenFlow
  readonly length?: number
  readonly etag?: string
  /** A flow that can be begun again, until something that the answer was read from changes. */
  readonly isLasting?: boolean
}

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({
  status: 200,
  body,
  ...(headers && { headers }),
})
/**
 * Kept as bytes: to encode it anew for each client would cost more than all the rest. What is short is a string with a
 * character for each byte (of ASCII, the text itself), which is copied and leaves with its head in one write, for as long as
 * both fit in Node's 16 KiB for that; a buffer takes a second one.
 */
export type SerializedBody = { readonly content: string | Buffer; readonly etag: string; readonly bytes: number }

const longBytes = 14 * 1024

export const serializeBody = (body: unknown): SerializedBody => serializeText(JSON.stringify(body))

function serializeText(text: string): SerializedBody {
  const bytes = Buffer.byteLength(text)
  const isAscii = bytes === text.length
  if (isAscii && bytes < longBytes) return { content: text, etag: makeEtag(text), bytes }
  const encoded = Buffer.from(text)
  return { content: bytes < longBytes ? encoded.toString('latin1') : encoded, etag: makeEtag(encoded), bytes }
}

/** A list that may be long, as a member of a body: its items are presented and serialized in slices. */
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

/** So many items, with links and all, take a few milliseconds. */
const longListLength = 500

const isLong = (value: unknown): value is LongList<unknown> =>
  value instanceof LongList && value.length > longListLength

/** At once, or in slices where it holds a long list, which would keep all others waiting. */
export const serializeLong = (body: unknown): Awaitable<SerializedBody> =>
  typeof body === 'object' && body !== null && Object.values(body).some(isLong)
    ? serializeInSlices(body)
    : serializeBody(body)

async function serializeInSlices(body: object): Promise<SerializedBody> {
  const slices = makeSlices()
  const digest = createHash('sha1')
  const chunks: Buffer[] = []
  let text = ''
  const flush = () => {
    const bytes = Buffer.from(text)
    digest.update(bytes)
    chunks.push(bytes)
    text = ''
  }
  let opening = '{'
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    text += `${opening}${JSON.stringify(name)}:`
    opening = ','
    if (!isLong(value)) {
      text += JSON.stringify(value)
      continue
    }
    let between = '['
    for (const item of value) {
      text += between + JSON.stringify(item)
      between = ','
      if (!slices.isDue()) continue
      flush()
      await slices.pause()
    }
    text += ']'
  }
  text += '}'
  flush()
  // Joining them copies some megabytes a millisecond.
  const content = Buffer.concat(chunks)
  return { content, etag: `W/"${digest.digest('hex')}"`, bytes: content.length }
}

export const makeEtag = (representation: string | Buffer): string => `W/"${hash('sha1', representation, 'hex')}"`

const lastSerialized = new WeakMap<object, { readonly view: View; readonly serialized: SerializedBody }>()

/**
 * What a presenter makes of a thing that does not change, kept with it: the thing is read anew when anything was
 * committed, and the presenter looks at nothing else but the view.
 */
export function okOf<T extends object>(thing: T, view: View, present: (thing: T, view: View) => unknown): Answer {
  let last = lastSerialized.get(thing)
  if (!last || !isSameView(last.view, view)) {
    last = { view, serialized: serializeBody(present(thing, view)) }
    lastSerialized.set(thing, last)
  }
  return { status: 200, serialized: last.serialized }
}

export const created = (body: unknown, location?: string): Answer => ({
  status: 201,
  body,
  ...(location && { headers: { location } }),
})
export const noContent = (): Answer => ({ status: 204 })
export const raw = (type: string, bytes: Buffer): Answer => ({ status: 200, raw: { type, bytes } })

/** A file as it is: clients take what names its charset for text. No browser shows it, whatever is in it. */
export const rawFile = (bytes: Buffer): Answer =>
  raw(isUtf8(bytes) ? 'application/vnd.platform.raw; charset=utf-8' : 'application/octet-stream', bytes)

const lastTexts = new WeakMap<object, { readonly view: View; readonly present: unknown; readonly text: string }>()

/** The JSON of a thing that does not change, kept with it, as for `okOf`. */
function textOf<T extends object>(thing: T, view: View, present: (thing: T, view: View) => unknown): string {
  const last = lastTexts.get(thing)
  if (last && last.present === present && isSameView(last.view, view)) return last.text
  const text = JSON.stringify(present(thing, view))
  lastTexts.set(thing, { view, present, text })
  return text
}

/** A page of things that are the same objects for as long as they do not change. */
export const listOf = <T extends object>(
  { total, items }: Page<T>,
  present: (item: T, view: View) => unknown,
  view: View,
): Answer =>
  listOfTexts(
    total,
    items.map((item) => textOf(item, view, present)),
  )

/** A page of what is JSON already. */
export const listOfTexts = (total: number, texts: readonly string[]): Answer => ({
  status: 200,
  total,
  serialized: serializeText(`[${texts.join(',')}]`),
})

export const list = <T>({ total, items }: Page<T>, present: (item: T) => unknown): Answer => ({
  status: 200,
  total,
  body: items.map(present),
})
