/** Answers: what a handler returns, before it is serialized into bytes and headers. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Page } from '../../base/page.ts'
import { makeSlices } from '../../base/slices.ts'
import type { RateStatus } from '../../forge/limits/limits.ts'

export type Answer = {
  readonly status: number
  /** JSON, bytes of another type, or a stream of them; undefined for none. */
  readonly body?: unknown
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
}

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({
  status: 200,
  body,
  ...(headers && { headers }),
})
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

/** The JSON of a body: in slices where it holds a long list, which would keep all others waiting. */
export async function serializeBody(body: unknown): Promise<string | Buffer> {
  const hasLongList = typeof body === 'object' && body !== null && Object.values(body).some(isLong)
  return hasLongList ? serializeInSlices(body) : JSON.stringify(body)
}

async function serializeInSlices(body: object): Promise<Buffer> {
  const slices = makeSlices()
  const chunks: Buffer[] = []
  let text = ''
  const flush = () => {
    chunks.push(Buffer.from(text))
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
  return Buffer.concat(chunks)
}

export const makeEtag = (representation: string | Buffer): string => `W/"${hash('sha1', representation, 'hex')}"`

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

export const list = <T>({ total, items }: Page<T>, present: (item: T) => unknown): Answer => ({
  status: 200,
  total,
  body: items.map(present),
})
