/** Sends long responses at the client's pace, and charges their bytes to the byte budget until they are sent. */
import { Readable } from 'node:stream'
import { setImmediate as turnLoop } from 'node:timers/promises'
import { countedBytes, type Hold } from '../../http/byte-budget.ts'
import { cut, paidStream } from '../../http/long-answers.ts'
import type { Log } from '../../lib/log.ts'
import type { Rest } from './loop-share.ts'
import type { DatasetCall } from './route.ts'

/** Sends a response that is complete in memory. */
export function sendWhole(
  { request, reply, hold }: Pick<DatasetCall, 'request' | 'reply' | 'hold'>,
  content: Buffer,
): void {
  if (content.length <= countedBytes || request.method === 'HEAD') return void reply.send(content)
  const held = hold()
  held.takeNow(content.length)
  reply.header('content-length', content.length).send(paidStream(cut(content), held))
}

/**
 * `name`: the log message if the source fails. The connection is then destroyed, so that no truncated file looks
 * complete.
 */
export type Pieces = {
  readonly first: Buffer | undefined
  readonly source: AsyncGenerator<Buffer>
  readonly name: string
  readonly log: Log
  readonly rest?: Rest
}

/** Sends a response in pieces. When the client disconnects, the source is closed. */
export function sendPieces({ reply, hold }: Pick<DatasetCall, 'reply' | 'hold'>, pieces: Pieces): void {
  const stream = Readable.from(takePieces(pieces, hold()))
  stream.once('close', () => void pieces.source.return(undefined))
  stream.once('error', (error) => {
    // Failures after the client has disconnected are not logged.
    if (!reply.raw.destroyed) pieces.log.error({ err: error, requestId: reply.request.id }, pieces.name)
  })
  reply.send(stream)
}

/** A slow client holds only one piece in memory. */
async function* takePieces({ first, source, rest }: Pieces, hold: Hold): AsyncGenerator<Buffer> {
  for (let bytes = first; bytes !== undefined; bytes = (await source.next()).value) {
    const { length } = bytes
    await hold.take(length)
    yield bytes
    hold.give(length)
    // Otherwise a fast client's pieces would be rendered without a pause while other requests wait (measured: 145 ms).
    await turnLoop()
    await rest?.()
  }
}
