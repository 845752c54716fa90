/** From what a handler answered to bytes and headers: the representation, its validator, where the caller stands. */
import { Readable } from 'node:stream'
import { type Awaitable, whenKnown } from '../../base/awaitable.ts'
import type { RateCaller, Resource } from '../../forge/limits/callers.ts'
import type { Standing } from '../../forge/limits/limits.ts'
import { tokenOf } from '../../forge/need.ts'
import { type Answer, makeEtag, spellBody } from './answer.ts'
import { type HeaderList, makeHeaders } from './headers.ts'
import type { Passage } from './passage.ts'
import { linkHeader, makeQuery, readPage } from './query.ts'
import { isUnchanged as isSame, type Spelled } from './sending.ts'

/** Where the caller stands, before this request or after it has been paid for. */
export type Till = {
  peek(caller: RateCaller, resource: Resource): Awaitable<Standing>
  chargePrimary(caller: RateCaller, resource: Resource): Awaitable<Standing>
}

export function spell(passage: Passage, answer: Answer, till: Till): Awaitable<Spelled> {
  const { request, route } = passage
  const isRead = route.method === 'GET' && answer.status === 200
  const spelled = answer.spelled ?? (isRead && answer.body !== undefined ? spellBody(answer.body) : undefined)
  const text = spelled?.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body))
  const bytes = answer.raw?.bytes
  const etag = spelled?.etag ?? answer.raw?.etag ?? (isRead && Buffer.isBuffer(bytes) ? makeEtag(bytes) : undefined)
  const isUnchanged = etag !== undefined && isSame(request.headers['if-none-match'], etag)
  const settled = settle(passage, isUnchanged, till)
  // What is refused after all does not flow, and must not wait for it.
  if (settled instanceof Promise && bytes instanceof Readable) settled.catch(() => bytes.destroy())
  return whenKnown(settled, (standing) => {
    const headers = headersOf(passage, answer, standing, etag)
    if (isUnchanged) {
      if (bytes instanceof Readable) bytes.destroy()
      return { status: 304, headers, bytes: '' }
    }
    if (answer.raw) headers.push('content-type', answer.raw.type)
    else if (text) headers.push('content-type', 'application/json; charset=utf-8')
    return { status: answer.status, headers, bytes: bytes ?? text, length: spelled?.bytes ?? answer.raw?.length }
  })
}

/** A conditional request pays now, if its answer is news. */
function settle(passage: Passage, isUnchanged: boolean, till: Till): Awaitable<Standing> {
  const { resource } = passage.route.charge
  if (!passage.isUncharged || isUnchanged) return passage.standing ?? till.peek(passage.caller, resource)
  passage.isUncharged = false
  return whenKnown(till.chargePrimary(passage.caller, resource), (standing) => {
    passage.standing = standing
    return standing
  })
}

function headersOf(passage: Passage, answer: Answer, standing: Standing, etag: string | undefined): HeaderList {
  const { request, route, actor } = passage
  const headers = makeHeaders(request.id, passage.version, standing, tokenOf(actor), route)
  for (const name in answer.headers) headers.push(name, answer.headers[name]!)
  if (etag) headers.push('etag', etag)
  if (answer.total !== undefined) {
    const query = makeQuery(request.query as Record<string, string>)
    const link = linkHeader(passage.origin + request.url, answer.total, readPage(query, route.pageSize!))
    if (link) headers.push('link', link)
  }
  return headers
}
