/** Answers: what a handler gives back, before it is spelled in bytes and headers. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Page } from '../../base/page.ts'

export type Answer = {
  readonly status: number
  /** JSON, bytes of another type, or a stream of them; undefined for none. */
  readonly body?: unknown
  /** The body spelled already, with its validator. */
  readonly spelled?: Spelling
  readonly raw?: { readonly type: string; readonly bytes: Buffer | Readable }
  /** How many there are in all, for a page of a list. */
  readonly total?: number
  readonly headers?: Readonly<Record<string, string>>
}

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({
  status: 200,
  body,
  ...(headers && { headers }),
})
export type Spelling = { readonly text: string; readonly etag: string; readonly bytes: number }

export function spellBody(body: unknown): Spelling {
  const text = JSON.stringify(body)
  return { text, etag: makeEtag(text), bytes: Buffer.byteLength(text) }
}

export const makeEtag = (representation: string | Buffer): string => `W/"${hash('sha1', representation, 'hex')}"`

const spellings = new WeakMap<object, Map<string, Spelling>>()

/**
 * What a presenter makes of a thing that does not change, kept with it: the thing is read anew when anything was
 * committed, and `view` must name all else that the presenter looks at.
 */
export function okOf<T extends object>(thing: T, view: string, present: (thing: T) => unknown): Answer {
  let kept = spellings.get(thing)
  if (!kept) {
    kept = new Map()
    spellings.set(thing, kept)
  }
  let spelled = kept.get(view)
  if (!spelled) {
    spelled = spellBody(present(thing))
    kept.set(view, spelled)
  }
  return { status: 200, spelled }
}

export const created = (body: unknown, location?: string): Answer => ({
  status: 201,
  body,
  ...(location && { headers: { location } }),
})
export const noContent = (): Answer => ({ status: 204 })
export const raw = (type: string, bytes: Buffer | Readable): Answer => ({ status: 200, raw: { type, bytes } })

/** A file as it is: clients take what names its charset for text. No browser shows it, whatever is in it. */
export const rawFile = (bytes: Buffer): Answer =>
  raw(isUtf8(bytes) ? 'application/vnd.platform.raw; charset=utf-8' : 'application/octet-stream', bytes)

export const list = <T>({ total, items }: Page<T>, present: (item: T) => unknown): Answer => ({
  status: 200,
  total,
  body: items.map(present),
})
