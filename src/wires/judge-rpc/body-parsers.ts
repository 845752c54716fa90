/** Parsers of bodies: a small one is read whole, a large one as it arrives, whatever its content type. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../../base/network.ts'
import type { ByteBudget, Hold } from '../byte-budget.ts'

export const maxBodyBytes = 96 * 1024 * 1024
/** A longer body, or one without a content length, is read as it arrives. */
const smallBodyBytes = 1024 * 1024

/** These replace the client's content type, so that Fastify finds the parser without parsing the header. */
const smallType = 'application/json'
const largeType = 'application/large'

/** The handler gets a small body as a Buffer, and a large one as a stream. */
export function addBodyParsers(server: FastifyInstance, budget: ByteBudget): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(smallType, (request, payload, done) => {
    // Who it is from is known once it is there: until then its network pays for it.
    const hold = () => budget.hold(networkOf(request.ip), () => request.raw.destroy())
    readSmall(payload, Number(request.headers['content-length']), hold, done)
  })
  server.addContentTypeParser(largeType, (request, payload, done) => {
    const isTooLarge = Number(request.headers['content-length']) > maxBodyBytes
    done(
      isTooLarge ? Object.assign(new Error(`The body is over ${maxBodyBytes} bytes.`), { statusCode: 413 }) : null,
      payload,
    )
  })
  server.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request
    headers['content-type'] = Number(headers['content-length']) <= smallBodyBytes ? smallType : largeType
    done()
  })
}

type Done = (error: Error | null, body?: Buffer) => void

/** Most bodies come in one piece; what is there of one that does not is paid for until the rest has come. */
function readSmall(payload: IncomingMessage, length: number, open: () => Hold, done: Done): void {
  const chunks: Buffer[] = []
  let received = 0
  let hold: Hold | undefined
  let isOver = false
  const finish: Done = (error, body) => {
    if (isOver) return
    isOver = true
    hold?.release()
    done(error, body)
  }
  payload.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    received += chunk.length
    if (received >= length) return
    hold ??= open()
    const waiting = hold.take(chunk.length)
    if (!waiting) return
    payload.pause()
    waiting.then(() => payload.resume(), finish)
  })
  payload.on('end', () => finish(null, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
  payload.on('error', (error) => finish(Object.assign(error, { statusCode: 400 })))
  payload.on('close', () => finish(Object.assign(new Error('The body broke off.'), { statusCode: 400 })))
}
