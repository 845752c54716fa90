/** The answer that a handler returns, before the pipeline turns it into bytes and headers. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { RateStatus } from '../../forge/limits/limits.ts'
import type { Page } from '../../lib/page.ts'

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
export const makeEtag = (representation: string | Buffer): string => spellEtag(hash('sha1', representation, 'hex'))
/** Of what was hashed while it was made. */
export const spellEtag = (sha1: string): string => `W/"${sha1}"`

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
