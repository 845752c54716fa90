/** The response that a handler returns, before the pipeline turns it into bytes and headers. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { RateStatus } from '../../forge/limits/limits.ts'
import type { Page } from '../../lib/page.ts'

export type RestAnswer = {
  readonly status: number
  /** The body as JSON, or bytes of another type, or a stream; undefined for an empty one. */
  readonly body?: unknown
  readonly raw?: Raw
  /** The total number of items, for a page of a list. */
  readonly total?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The remaining budget, if the handler itself has charged the caller. */
  readonly rateStatus?: RateStatus
}

/** Starts a stream once it is certain that its bytes are needed; short content comes as a buffer. */
export type OpenFlow = () => Promise<Readable | Buffer>

/** A stream has its length and ETag, if they are known. */
export type Raw = {
  readonly type: string
  readonly bytes: Buffer | OpenFlow
  readonly length?: number
  readonly etag?: string
}

export const ok = (body: unknown, headers?: Record<string, string>): RestAnswer => ({
  status: 200,
  body,
  ...(headers && { headers }),
})
export const makeEtag = (representation: string | Buffer): string => spellEtag(hash('sha1', representation, 'hex'))
/** An ETag from a hash computed while the content was made. */
export const spellEtag = (sha1: string): string => `W/"${sha1}"`

export const created = (body: unknown, location?: string): RestAnswer => ({
  status: 201,
  body,
  ...(location && { headers: { location } }),
})
export const noContent = (): RestAnswer => ({ status: 204 })
export const raw = (type: string, bytes: Buffer): RestAnswer => ({ status: 200, raw: { type, bytes } })

/** A raw file: clients treat a type with a charset as text. Browsers never display it, whatever it contains. */
export const rawFile = (bytes: Buffer): RestAnswer =>
  raw(isUtf8(bytes) ? 'application/vnd.platform.raw; charset=utf-8' : 'application/octet-stream', bytes)

export const list = <T>({ total, items }: Page<T>, present: (item: T) => unknown): RestAnswer => ({
  status: 200,
  total,
  body: items.map(present),
})
