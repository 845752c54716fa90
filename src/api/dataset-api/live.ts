/**
 * New items as server-sent events. The id of each event is the offset to resume from, so a client that reconnects loses
 * no item.
 */
import type { Datasets } from '../../datasets/datasets.ts'
import type { Resumed } from '../../datasets/item-acts.ts'
import { eachLine } from '../../datasets/items/lines.ts'
import { readInteger } from '../../datasets/query/item-query.ts'
import { onceClosed } from '../../http/once-closed.ts'
import { readAddress, readQuery } from './request.ts'
import type { DatasetApi, DatasetCall, Handler, Routes } from './route.ts'
import { sendPieces } from './sending.ts'

/** How often an idle stream checks whether the caller may still read. */
const checkMs = 15_000

type Parts = Awaited<ReturnType<Datasets['follow']>>['parts']

export function makeLiveRoutes({ datasets, log }: DatasetApi): Routes {
  const live: Handler = async (call) => {
    const { actor, request, reply } = call
    const given = readQuery(request)
    const resumed = readLastId(String(request.headers['last-event-id'] ?? ''))
    const from = resumed ? null : readInteger(given, 'offset')
    const signature = given.get('signature') || null
    const following = await datasets.follow(actor, readAddress(request), { from, resumed, signature })
    onceClosed(reply.raw, following.leave)
    reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Tells proxies not to buffer the events.
      'x-accel-buffering': 'no',
    })
    const { parts, generation, isAnew } = following
    const event = isAnew ? 'event: truncated\ndata: {}\n' : ''
    const first = Buffer.from(`retry: 1000\nid: ${following.from}-${generation}\n${event}\n`)
    const source = writeEvents(call, parts, generation, signature)
    sendPieces(call, { first, source, log, name: 'a live tail broke off' })
    return undefined
  }

  /**
   * Ends when the caller may no longer read, because their token or the sharing was revoked. Checked before each
   * delivery.
   */
  async function* writeEvents(
    call: DatasetCall,
    parts: Parts,
    generation: string,
    signature: string | null,
  ): AsyncGenerator<Buffer> {
    let checkedAt = performance.now()
    try {
      for await (const { lines, from } of parts) {
        if (lines.length > 0 || performance.now() - checkedAt >= checkMs) {
          if (!(await mayRead(call, signature))) return
          checkedAt = performance.now()
        }
        yield lines.length === 0 ? Buffer.from(':\n\n') : toEvents(lines, from, generation)
      }
    } finally {
      await parts.return(undefined)
    }
  }

  async function mayRead({ request, identifyAgain }: DatasetCall, signature: string | null): Promise<boolean> {
    try {
      await datasets.demandAccess(await identifyAgain(), readAddress(request), 'items', signature)
      return true
    } catch {
      return false
    }
  }

  return { '/datasets/:datasetId/items/live': { GET: live } }
}

/** The offset and the generation. Older servers, and clients that count themselves, send the offset alone. */
function readLastId(text: string): Resumed | null {
  const [, offset, generation = null] = /^(\d{1,15})(?:-(\w{1,16}))?$/.exec(text) ?? []
  return offset === undefined ? null : { offset: Number(offset), generation }
}

/** An item contains no line break, so it fits one data line. */
function toEvents(lines: Buffer, from: number, generation: string): Buffer {
  const parts: Buffer[] = []
  let next = from
  for (const [start, end] of eachLine(lines)) {
    parts.push(Buffer.from(`id: ${++next}-${generation}\ndata: `), lines.subarray(start, end), Buffer.from('\n'))
  }
  return Buffer.concat(parts)
}
