/** Items over this API: pushed as JSON, and exported as a stream in one of nine formats, whole or by range. */
import type { Readable } from 'node:stream'
import type { Dataset } from '../../datasets/dataset.ts'
import type { Export } from '../../datasets/export/export.ts'
import type { Feed } from '../../datasets/formats/rss.ts'
import type { CsvOptions } from '../../datasets/items/csv-reading.ts'
import { release } from '../../datasets/items/memory.ts'
import { type ItemQuery, parseItemQuery, readBoolean, readDelimiter } from '../../datasets/query/item-query.ts'
import { onceClosed } from '../../http/once-closed.ts'
import { Failure } from '../../lib/failure.ts'
import { originOf } from '../identity/origin.ts'
import { matchesEtag } from '../response.ts'
import { readBody } from './body.ts'
import { itemHeaders, parseRange } from './item-headers.ts'
import { makeLoopShare } from './loop-share.ts'
import { type DatasetRequest, readAddress, readQuery } from './request.ts'
import type { DatasetApi, DatasetCall, Handler, Routes } from './route.ts'
import { sendPieces, sendWhole } from './sending.ts'

/** Bodies of at least this size are freed as soon as their items are stored. */
const releasedBytes = 8 * 1024

export function makeItemRoutes({ datasets, baseUrl, log, countRequests }: DatasetApi): Routes {
  const shareLoop = makeLoopShare(countRequests)
  const push: Handler = async ({ actor, request, reply, hold, identifyAgain }) => {
    let bytes: Buffer = Buffer.alloc(0)
    const readItems = async () => {
      bytes = await readBody(request.body as Readable | undefined, request.headers['content-encoding'], hold())
      return { bytes, actor: await identifyAgain() }
    }
    const { 'idempotency-key': key = null } = request.headers as { 'idempotency-key'?: string }
    const isNew = await datasets.push(actor, readAddress(request), {
      key,
      csv: readCsvOptions(request),
      readBody: readItems,
      isGone: () => reply.raw.destroyed,
    })
    // Otherwise thousands of bodies a second make the garbage collector scan all memory again and again.
    release(bytes, releasedBytes)
    if (!isNew) reply.header('idempotency-replayed', 'true')
    reply.code(201)
    return {}
  }

  const read: Handler = async (call) => {
    const { actor, request, reply } = call
    const given = readQuery(request)
    const origin = originOf(request, baseUrl)
    const { page, body } = await datasets.export(actor, readAddress(request), () => parseItemQuery(given), {
      name: origin + request.url,
      signature: given.get('signature') || null,
      feedOf: (dataset, query) => makeFeed(dataset, query, origin, request.url),
      isGone: () => reply.raw.destroyed,
      cutOff: () => reply.raw.destroy(),
    })
    onceClosed(
      reply.raw,
      () => void page.close().catch((error) => log.error({ err: error }, 'an export was not closed')),
    )
    reply.headers(itemHeaders(page))
    if (matchesEtag(request.headers['if-none-match'], page.etag)) reply.code(304).send()
    else if (request.method === 'HEAD') reply.send(body ?? undefined)
    else if (await sendRange(call, page, body)) return undefined
    else if (body) sendWhole(call, body)
    else await sendStream(call, page.stream())
    return undefined
  }

  /** Answers whether a range was requested and sent. */
  async function sendRange(call: DatasetCall, page: Export, body: Buffer | null): Promise<boolean> {
    const { request, reply } = call
    const { range, 'if-range': condition } = request.headers
    if (!page.isResumable || range === undefined || (condition !== undefined && condition !== page.etag)) return false
    // Newest first, every push moves all items: only the ETag shows whether there was one.
    if (condition === undefined && !page.isFixed && page.query.desc) return false
    if (parseRange(range, Number.MAX_SAFE_INTEGER) === null) return false
    const { length, streamRange } = body ? measureBody(body) : await page.measure()
    const found = parseRange(range, length)
    if (found === null) return false
    if (found === 'beyond') {
      reply.header('content-range', `bytes */${length}`)
      throw new Failure(
        'invalid',
        'range-not-satisfiable',
        `The answer ends before this range: it has ${length} bytes.`,
      )
    }
    const { start, end } = found
    const headers = { 'content-range': `bytes ${start}-${end - 1}/${length}`, 'content-length': String(end - start) }
    await sendStream(call, streamRange(start, end), 206, headers)
    return true
  }

  async function sendStream(
    call: DatasetCall,
    source: AsyncGenerator<Buffer>,
    status = 200,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    // The head is sent only after the first chunk is rendered, so that an earlier failure becomes an error response.
    const first = (await source.next()).value
    call.reply.code(status).headers(headers)
    sendPieces(call, { first, source, log, name: 'an export broke off', rest: shareLoop() })
  }

  const removeItems: Handler = async ({ actor, request, reply }) => {
    await datasets.truncate(actor, readAddress(request))
    reply.code(204).send()
    return undefined
  }

  return { '/datasets/:datasetId/items': { GET: read, HEAD: read, POST: push, DELETE: removeItems } }
}

/** Any other type is read as JSON, even an invalid one. */
function readCsvOptions(request: DatasetRequest): CsvOptions | null {
  if (!/^\s*text\/csv\b/i.test(request.headers['content-type'] ?? '')) return null
  const given = readQuery(request)
  const isAssumed = !given.get('delimiter')
  return { delimiter: readDelimiter(given), isAssumed, guessTypes: readBoolean(given, 'guessTypes') ?? false }
}

const measureBody = (body: Buffer) => ({
  length: body.length,
  async *streamRange(start: number, end: number) {
    yield body.subarray(start, end)
  },
})

/** The feed contains its own address, without the token that it may carry. */
function makeFeed(dataset: Dataset, query: ItemQuery, origin: string, path: string): Feed {
  const self = new URL(path, origin)
  self.searchParams.delete('token')
  const name = dataset.title ?? dataset.name ?? dataset.id
  return {
    title: query.feedTitle ?? name,
    description: query.feedDescription ?? `Items of the data set ${name}`,
    link: `${origin}/-/datasets/${dataset.id}`,
    self: self.href,
  }
}
