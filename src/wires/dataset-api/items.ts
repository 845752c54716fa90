/** Items on the wire: pushed as JSON, and exported as a stream in one of seven formats, whole or by range. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Failure } from '../../base/failure.ts'
import type { Dataset } from '../../datasets/dataset.ts'
import type { Export } from '../../datasets/export/export.ts'
import type { Feed } from '../../datasets/formats/rss.ts'
import { type ItemQuery, parseItemQuery } from '../../datasets/query/item-query.ts'
import { originOf } from '../origin.ts'
import { readBody } from './body.ts'
import { itemHeaders, matchesEtag, parseRange } from './item-headers.ts'
import { pump } from './pump.ts'
import { readAddress, readQuery } from './request.ts'
import type { Call, DatasetApi, Handler, Routes } from './route.ts'

export function makeItemRoutes({ datasets, baseUrl, log }: DatasetApi): Routes {
  const push: Handler = async ({ actor, request, reply, identifyAgain }) => {
    const read = async () => {
      const bytes = await readBody(request.body as Readable | undefined, request.headers['content-encoding'])
      return { bytes, actor: await identifyAgain() }
    }
    await datasets.push(actor, readAddress(request), read)
    return reply.code(201).send({})
  }

  const read: Handler = async (call) => {
    const { actor, request, reply } = call
    const given = readQuery(request)
    const query = parseItemQuery(given)
    const signature = given.get('signature') || null
    const feedOf = (dataset: Dataset) => makeFeed(dataset, query, originOf(request, baseUrl), request.url)
    const isGone = () => reply.raw.destroyed
    const page = await datasets.export(actor, readAddress(request), query, { signature, feedOf, isGone })
    reply.headers(itemHeaders(page))
    if (matchesEtag(request.headers['if-none-match'], page.etag)) return reply.code(304).send()
    if (request.method === 'HEAD') return page.isSmall ? sendWhole(reply, page) : reply.send()
    return (await sendRange(call, page)) ?? sendWhole(reply, page)
  }

  async function sendWhole(reply: FastifyReply, page: Export): Promise<FastifyReply> {
    if (!page.isSmall) return sendStream(reply, page.stream())
    const parts: Buffer[] = []
    for await (const part of page.stream()) parts.push(part)
    return reply.send(Buffer.concat(parts))
  }

  async function sendRange({ request, reply }: Call, page: Export): Promise<FastifyReply | null> {
    const { range, 'if-range': condition } = request.headers
    if (!page.isFixed || range === undefined || (condition !== undefined && condition !== page.etag)) return null
    if (parseRange(range, Number.MAX_SAFE_INTEGER) === null) return null
    const { length, streamRange } = await page.measure()
    const found = parseRange(range, length)
    if (found === null) return null
    if (found === 'beyond') {
      reply.header('content-range', `bytes */${length}`)
      throw new Failure(
        'invalid',
        'range-not-satisfiable',
        `The answer ends before this range: it has ${length} bytes.`,
      )
    }
    const { start, end } = found
    const headers = { 'content-range': `bytes ${start}-${end - 1}/${length}`, 'content-length': end - start }
    return sendStream(reply, streamRange(start, end), 206, headers)
  }

  /**
   * Writes to the socket past Fastify, which would not tell when a chunk has been sent. The head is written once the first
   * chunk is rendered, so that a failure before it is answered as an error.
   */
  async function sendStream(
    reply: FastifyReply,
    source: AsyncGenerator<Buffer>,
    status = 200,
    headers: OutgoingHttpHeaders = {},
  ): Promise<FastifyReply> {
    const first = await source.next()
    reply.hijack()
    reply.raw.writeHead(status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers })
    const error = await pump(first.value, source, reply.raw)
    if (error) log.error({ err: error, requestId: reply.request.id }, 'an export broke off')
    return reply
  }

  return { '/datasets/:datasetId/items': { GET: read, HEAD: read, POST: push } }
}

/** The feed contains its own address, without the token that may stand in it. */
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
