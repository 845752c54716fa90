/** Sends responses: writes head and body in one write. */
// `globalThis.performance` is a getter; importing it is measurably faster.
import { performance } from 'node:perf_hooks'
import type { Awaitable } from '../../base/awaitable.ts'
import { countedBytes, type Hold } from '../byte-budget.ts'
import { cut, writePieces } from '../long-answer.ts'
import { type Observe, securityHeaders } from '../response.ts'
import { joinHeadLines, writeHead } from '../response-head.ts'
import type { Exchange } from './exchange.ts'
import type { RpcAnswer } from './protocol.ts'
import { serializeAnswer } from './serialized-result.ts'

const emptyLines = joinHeadLines(Object.entries(securityHeaders).flat())
const jsonLines = emptyLines + joinHeadLines(['content-type', 'application/json'])

/** Writes the head. */
export function beginAnswer(exchange: Exchange, status: number, length?: number): void {
  const { request, response, cookies } = exchange
  const headers: string[] = []
  if (length) headers.push('content-length', String(length))
  if (exchange.isLastOfConnection) headers.push('connection', 'close')
  if (cookies) for (const cookie of cookies) headers.push('set-cookie', cookie)
  writeHead(response, status, `${status === 204 ? emptyLines : jsonLines}x-request-id: ${request.id}\r\n`, headers)
}

export type Sending = ReturnType<typeof makeSending>

export function makeSending(observe: Observe) {
  function end({ request, startedAt }: Exchange, status: number): void {
    observe('/', 'POST', status, performance.now() - startedAt, request.id, '/')
  }

  function sendText(exchange: Exchange, text: string, status = text === '' ? 204 : 200): void {
    const length = Buffer.byteLength(text)
    beginAnswer(exchange, status, length)
    // Text that has as many bytes as characters is ASCII, and goes out several times faster as what it is.
    exchange.response.end(text, length === text.length ? 'latin1' : 'utf8')
    end(exchange, status)
  }

  /** As fast as the client reads it; `hold` pays for it until then. */
  async function sendPieces(exchange: Exchange, answer: string | Iterable<string>, hold: Hold): Promise<void> {
    const { response } = exchange
    const whole = typeof answer === 'string' ? Buffer.from(answer) : undefined
    if (whole) await hold.take(whole.length)
    beginAnswer(exchange, 200, whole?.length)
    await writePieces(response, whole ? cut(whole) : answer, hold)
    response.end()
    end(exchange, 200)
  }

  return {
    /** Records a response that was written already. */
    end,
    sendText,

    /** Where it is long, `hold` is asked to pay for it, and it is written as it is read. */
    sendAnswer(exchange: Exchange, answer: RpcAnswer | RpcAnswer[] | undefined, hold: () => Hold): Awaitable<void> {
      const text = !answer ? '' : Array.isArray(answer) ? JSON.stringify(answer) : serializeAnswer(answer)
      if (typeof text === 'string' && text.length <= countedBytes) return sendText(exchange, text)
      return sendPieces(exchange, text, hold())
    },

    /** A refusal, which is short. */
    send: (exchange: Exchange, answer: RpcAnswer | RpcAnswer[] | undefined, status?: number) =>
      sendText(exchange, answer ? JSON.stringify(answer) : '', status),
  }
}
