/** Answers: what a handler gives back, before it is spelled in bytes and headers. */
import type { Readable } from 'node:stream'
import type { Page } from '../../base/page.ts'

export type Answer = {
  readonly status: number
  /** JSON, bytes of another type, or a stream of them; undefined for none. */
  readonly body?: unknown
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
export const created = (body: unknown, location?: string): Answer => ({
  status: 201,
  body,
  ...(location && { headers: { location } }),
})
export const noContent = (): Answer => ({ status: 204 })
export const raw = (type: string, bytes: Buffer | Readable): Answer => ({ status: 200, raw: { type, bytes } })

export const list = <T>({ total, items }: Page<T>, present: (item: T) => unknown): Answer => ({
  status: 200,
  total,
  body: items.map(present),
})
