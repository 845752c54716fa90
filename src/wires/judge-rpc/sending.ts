/** Sends responses: writes head and body in one write, past Fastify. */
// `globalThis.performance` is a getter; importing it is measurably faster.
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Awaitable } from '../../base/awaitable.ts'
import { countedBytes, type Hold } from '../byte-budget.ts'
import { cut, writePieces } from '../long-answer.ts'
import { type Observe, securityHeaders } from '../response.ts'
import type { RpcAnswer } from './protocol.ts'
import { serializeAnswer } from './serialized-result.ts'

/** A flat list of names and values, which Node writes without making an object of it first. */
const fixedHeaders: readonly string[] = Object.entries(securityHeaders).flat()

/** Writes the head. Fastify would add a charset, which application/json does not have. */
export function beginAnswer(request: FastifyRequest, reply: FastifyReply, status: number, length?: number): void {
  const headers = [...fixedHeaders, 'x-request-id', request.id]
  if (status !== 204) headers.push('content-type', 'application/json')
  if (length) headers.push('content-length', String(length))
  // The connection closes after a body that was not read to its end.
  if (reply.hasHeader('connection')) headers.push('connection', 'close')
  // Each call of a batch that signs in or out sets a cookie; the client keeps the last.
  for (const cookie of [reply.getHeader('set-cookie') ?? []].flat()) headers.push('set-cookie', String(cookie))
  reply.hijack()
  reply.raw.writeHead(status, headers)
}

export type Sending = ReturnType<typeof makeSending>

export function makeSending(observe: Observe) {
  function end(request: FastifyRequest, reply: FastifyReply, startedAt: number, status: number): FastifyReply {
    observe('/', 'POST', status, performance.now() - startedAt, request.id, '/')
    return reply
  }

  function sendText(
    request: FastifyRequest,
    reply: FastifyReply,
    startedAt: number,
    text: string,
    status = text === '' ? 204 : 200,
  ): FastifyReply {
    beginAnswer(request, reply, status, Buffer.byteLength(text))
    reply.raw.end(text)
    return end(request, reply, startedAt, status)
  }

  /** As fast as the client reads it; `hold` pays for it until then. */
  async function sendPieces(
    request: FastifyRequest,
    reply: FastifyReply,
    startedAt: number,
    answer: string | Iterable<string>,
    hold: Hold,
  ): Promise<FastifyReply> {
    const whole = typeof answer === 'string' ? Buffer.from(answer) : undefined
    if (whole) await hold.take(whole.length)
    beginAnswer(request, reply, 200, whole?.length)
    await writePieces(reply.raw, whole ? cut(whole) : answer, hold)
    reply.raw.end()
    return end(request, reply, startedAt, 200)
  }

  return {
    /** Records a response that was written already. */
    end,
    sendText,

    /** Where it is long, `hold` is asked to pay for it, and it is written as it is read. */
    sendAnswer(
      request: FastifyRequest,
      reply: FastifyReply,
      startedAt: number,
      answer: RpcAnswer | RpcAnswer[] | undefined,
      hold: () => Hold,
    ): Awaitable<FastifyReply> {
      const text = !answer ? '' : Array.isArray(answer) ? JSON.stringify(answer) : serializeAnswer(answer)
      if (typeof text === 'string' && text.length <= countedBytes) return sendText(request, reply, startedAt, text)
      return sendPieces(request, reply, startedAt, text, hold())
    },

    /** A refusal, which is short. */
    send: (
      request: FastifyRequest,
      reply: FastifyReply,
      startedAt: number,
      answer: RpcAnswer | RpcAnswer[] | undefined,
      status?: number,
    ) => sendText(request, reply, startedAt, answer ? JSON.stringify(answer) : '', status),
  }
}
