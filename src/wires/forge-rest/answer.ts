/** Answers: what a handler returns, before it is serialized into bytes and headers. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Page } from '../../base/page.ts'
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
}

/** Begins a flow of bytes, once it is decided that somebody wants them. */
export type OpenFlow = () => Promise<Readable>

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
/** Long text is kept as bytes: to encode it anew for each client would cost more than all the rest. */
export type SerializedBody = { readonly content: string | Buffer; readonly etag: string; readonly bytes: number }

const longText = 4096

export function serializeBody(body: unknown): SerializedBody {
  const text = JSON.stringify(body)
  if (text.length < longText) return { content: text, etag: makeEtag(text), bytes: Buffer.byteLength(text) }
  const bytes = Buffer.from(text)
  return { content: bytes, etag: makeEtag(bytes), bytes: bytes.length }
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

export const list = <T>({ total, items }: Page<T>, present: (item: T) => unknown): Answer => ({
  status: 200,
  total,
  body: items.map(present),
})
