/** A client that tries again, at either server, until it has an answer; what it must never hear is written down. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../fuzz/random.ts'
import { type Json, makeRpcClient, RpcFault } from '../support/rpc.ts'
import { admin } from '../support/server.ts'

/** Nobody can say what became of it: the connection was lost, the answer late, or the server has said that it can't now. */
export class Unanswered extends Error {}

/** What no fault explains: an answer that tells of a bug, or one that is plainly wrong. */
export type Findings = string[]

export type Client = {
  readonly random: Random
  /** Tries until the act is answered; `attempt` counts from 1. Undefined where the time for it is over. */
  insist<T>(act: (url: string, attempt: number) => Promise<T>): Promise<T | undefined>
  rpc(url: string, method: string, params: object): Promise<Json>
  /** Over REST or `/v2`: the status and the body of an answer, whatever it is but 5xx. */
  http(url: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }>
}

const patienceMs = 15_000
const pauseMs = 150
/** After an answer: what is to be found lies in the faults, not in the number of acts. */
const restMs = 40

type Needs = { urls: readonly string[]; random: Random; findings: Findings; signal: AbortSignal }

export function makeClient({ urls, random, findings, signal }: Needs): Client {
  const bugWords = /The server failed|Internal Server Error/i

  async function http(url: string, method: string, path: string, body?: unknown) {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${admin.token}`, connection: 'close' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    }).catch((error) => {
      throw new Unanswered(String(error.cause ?? error))
    })
    const text = await response.text().catch((error) => {
      throw new Unanswered(String(error))
    })
    if (response.status >= 500 && response.status !== 503)
      findings.push(`${method} ${path}: ${response.status} ${text}`)
    if (response.status >= 500) throw new Unanswered(text)
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }

  return {
    random,
    http,
    async insist(act) {
      for (let attempt = 1; !signal.aborted; attempt++) {
        try {
          const answered = await act(random.pick(urls), attempt)
          await sleep(restMs)
          return answered
        } catch (error) {
          if (!(error instanceof Unanswered)) throw error
          await sleep(pauseMs)
        }
      }
      return undefined
    },
    async rpc(url, method, params) {
      const id = crypto.randomUUID()
      const { body } = await http(url, 'POST', '/', { jsonrpc: '2.0', id, method, params })
      if (!body.error) return body.result
      if (bugWords.test(body.error.message)) findings.push(`${method}: ${JSON.stringify(body.error)}`)
      if (body.error.code === -32_603) throw new Unanswered(body.error.message)
      throw new RpcFault(method, body.error)
    },
  }
}

export const adminRpc = (url: string) => makeRpcClient(url, admin.token)
