/**
 * A client of the judge's JSON-RPC, with keep-alive connections. It distinguishes a refusal from an unreachable judge.
 */

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import { makeBackOff } from '../back-off.ts'

/** The judge's error codes that an executor handles. */
export const refusal = { notFound: 6, denied: 8, precondition: 10, unauthenticated: 17 } as const

/** The judge returned an error. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: number
  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message}`)
    this.code = code
  }
}

/** The judge did not answer: no connection, no valid response, or an internal error. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

export type Rpc = {
  call<T>(method: string, params: object, options?: { signal?: AbortSignal; waitMs?: number }): Promise<T>
  /** Repeats the call until the judge answers, or the signal is aborted. */
  callUntilAnswered<T>(method: string, params: object, signal: AbortSignal): Promise<T>
  close(): void
}

/** A call that is retried until it is answered. */
export type Ask = <T>(method: string, params: object) => Promise<T>

const patienceMs = 30_000
const internalError = -32_603
const answerBytes = 256 * 1024 * 1024

/** `token` is called for each request, since the token may change. */
export function makeRpc({ serverUrl, token }: { serverUrl: string; token: () => string }): Rpc {
  const url = new URL(serverUrl)
  const { Agent, request } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, keepAliveMsecs: 10_000, maxFreeSockets: 8 })

  const post = (body: Buffer, timeoutMs: number, signal?: AbortSignal): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const call = request(
        url,
        {
          method: 'POST',
          agent,
          timeout: timeoutMs,
          ...(signal && { signal }),
          headers: {
            'content-type': 'application/json',
            'content-length': body.length,
            authorization: `Bearer ${token()}`,
          },
        },
        (answer) => readAll(answer).then(resolve, reject),
      )
      call.on('timeout', () => call.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
      call.on('error', reject)
      call.end(body)
    })

  const call: Rpc['call'] = async <T>(
    method: string,
    params: object,
    { signal, waitMs = 0 }: { signal?: AbortSignal; waitMs?: number } = {},
  ) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params }))
    let answer: { result?: T; error?: { code: number; message: string } }
    try {
      answer = JSON.parse((await post(body, patienceMs + waitMs, signal)).toString('utf8'))
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw new Unreachable(`${method}: ${(error as Error).message}`)
    }
    if (answer.error && answer.error.code !== internalError) {
      throw new Refused(method, answer.error.code, answer.error.message)
    }
    if (answer.result === undefined) throw new Unreachable(`${method}: ${answer.error?.message ?? 'an empty answer'}`)
    return answer.result
  }

  return {
    call,
    async callUntilAnswered<T>(method: string, params: object, signal: AbortSignal) {
      const unreachableBackOff = makeBackOff()
      for (;;) {
        try {
          return await call<T>(method, params)
        } catch (error) {
          if (!(error instanceof Unreachable)) throw error
          await unreachableBackOff.wait(signal)
          signal.throwIfAborted()
        }
      }
    },
    close: () => agent.destroy(),
  }
}

/** The token is revoked, or its account may not judge: retrying with it is useless. */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof Refused && (error.code === refusal.unauthenticated || error.code === refusal.denied)

async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer) {
    size += chunk.length
    if (size > answerBytes) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  if (answer.statusCode !== 200) throw new Error(`HTTP status ${answer.statusCode}`)
  return Buffer.concat(chunks)
}
