/** Sends long answers at the client's pace, and charges their bytes to the byte budget until they are sent. */
import { Readable } from 'node:stream'
import { setImmediate as turnLoop } from 'node:timers/promises'
import { countedBytes, type Hold } from '../../http/byte-budget.ts'
import { cut, paidStream } from '../../http/long-answers.ts'
import type { Log } from '../../lib/log.ts'
import type { Rest } from './loop-share.ts'
import type { Call } from './route.ts'

/** An answer that is there as a whole. */
export function sendWhole({ request, reply, hold }: Pick<Call, 'request' | 'reply' | 'hold'>, content: Buffer): void {
  if (content.length <= countedBytes || request.method === 'HEAD') return void reply.send(content)
  const held = hold()
  held.takeNow(content.length)
  reply.header('content-length', content.length).send(paidStream(cut(content), held))
}

/** `name`: what is logged where the source fails. The connection is destroyed then, so that no truncated file looks whole. */
export type Pieces = {
  readonly first: Buffer | undefined
  readonly source: AsyncGenerator<Buffer>
  readonly name: string
  readonly log: Log
  readonly rest?: Rest
}

/** An answer in pieces. When the client disconnects, the source is closed. */
export function sendPieces({ reply, hold }: Pick<Call, 'reply' | 'hold'>, pieces: Pieces): void {
  const stream = Readable.from(takePieces(pieces, hold()))
  stream.once('close', () => void pieces.source.return(undefined))
  stream.once('error', (error) => {
    // Of what fails once the client has left, nothing is to be told.
    if (!reply.raw.destroyed) pieces.log.error({ err: error, requestId: reply.request.id }, pieces.name)
  })
  reply.send(stream)
}

/** Piece by piece: what a slow client holds up is one of them. */
async function* takePieces({ first, source, rest }: Pieces, hold: Hold): AsyncGenerator<Buffer> {
  for (let bytes = first; bytes !== undefined; bytes = (await source.next()).value) {
    const { length } = bytes
    await hold.take(length)
    yield bytes
    hold.give(length)
    // Otherwise a fast client would have piece after piece rendered without a pause, and other requests would wait (measured: 145 ms).
    await turnLoop()
    await rest?.()
  }
}
