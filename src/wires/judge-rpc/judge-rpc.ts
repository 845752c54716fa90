/** The judge's wire: every operation is a POST to `/`, and every JSON-RPC response has the status 200. */
import type { IncomingMessage, ServerResponse } from 'node:http'
// `globalThis.performance` is a getter; importing it is measurably faster.
import { performance } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { ObserveRead } from '../../base/observed.ts'
import { type Authenticate, type Caller, isSameOrigin, readCookie } from '../authenticate.ts'
import { type Budgets, payerOf } from '../byte-budget.ts'
import { findQuery, HttpRequest } from '../http-request.ts'
import type { ParseJson } from '../json-parsing.ts'
import { type Observe, securityHeaders } from '../response.ts'
import { formatCookie } from '../session-cookie.ts'
import { type BatchAnswer, makeBatchAnswer } from './batch-answer.ts'
import { maxBodyBytes, takeBody } from './body-reading.ts'
import { makeCallRate } from './call-rate.ts'
import { makeDispatching } from './dispatching.ts'
import { toRpcError } from './errors.ts'
import { Exchange } from './exchange.ts'
import { type Holds, makeHolds } from './holds.ts'
import { HttpCall } from './http-call.ts'
import type { Method } from './method.ts'
import { describeMethods } from './openapi.ts'
import { answerBody, invalidRequest, type RpcAnswer, type RpcError, refuse } from './protocol.ts'
import { beginAnswer, makeSending } from './sending.ts'
import { maxValues } from './uploads/json-structure.ts'
import { type LargeBody, noUploads, readLargeBody, type UploadFile } from './uploads/large-body.ts'

export type JudgeRpcNeeds = {
  readonly methods: readonly Method[]
  readonly authenticate: Authenticate
  readonly baseUrl: string | undefined
  readonly log: Log
  readonly observe: Observe
  readonly observeRead: ObserveRead
  readonly clock: Clock
  openFile(): Promise<UploadFile>
  readonly callsPerMinute: number
  readonly budgets: Budgets
  readonly parseJson: ParseJson
  /** Names a request, and makes its name known to all that works for it. */
  readonly beginRequest: (request: IncomingMessage) => string
  readonly trustsProxy: boolean
}

export type JudgeRpc = {
  /** Serves a POST to `/`, and answers whether it was one: to come by Fastify would cost as much as a short call itself. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
  /** Serves the description. */
  plugin(server: FastifyInstance): Promise<void>
}

export function makeJudgeRpc(needs: JudgeRpcNeeds): JudgeRpc {
  const { methods, authenticate, baseUrl, log, observe, openFile, callsPerMinute, budgets } = needs
  const dispatching = makeDispatching({ ...needs, demandRate: makeCallRate(callsPerMinute) })
  const { send, sendAnswer, sendText, end } = makeSending(observe)
  const parseFor = (actor: ParsingFor) => (bytes: Buffer) => needs.parseJson(actor, bytes, { values: maxValues })

  async function serve(exchange: Exchange): Promise<void> {
    try {
      await answer(exchange, await receive(exchange))
    } catch (error) {
      await fail(exchange, error as ThrownError)
    }
  }

  /** Answers the stream where the body is large. */
  async function receive(exchange: Exchange): Promise<IncomingMessage | undefined> {
    try {
      const body = takeBody(exchange.request, budgets.memory)
      if (!(body instanceof Promise)) return body
      exchange.body = await body
      exchange.startedAt = performance.now()
      return undefined
    } catch (error) {
      // The rest of the body may still arrive.
      exchange.isLastOfConnection = true
      throw error
    }
  }

  async function answer(exchange: Exchange, stream: IncomingMessage | undefined): Promise<void> {
    const { request, response } = exchange
    const caller = await authenticate.identify(request)
    const isOwnPage = isSameOrigin(request, baseUrl)
    const isCrossSite = caller.via === 'cookie' && !caller.isUnknown && !isOwnPage
    // Another site's page must not sign its visitors in here, as whomever it likes.
    const setSession = (token: string | undefined) => {
      if (isOwnPage) exchange.addCookie(formatCookie(request, token, baseUrl))
    }
    if (caller.via === 'cookie' && caller.wasRenewed && !isCrossSite) setSession(readCookie(request))
    const holds = makeHolds(budgets, payerOf(caller.actor), response)
    const large = stream && (await readLarge(exchange, stream, caller, holds))
    const call = new HttpCall({
      actor: caller.actor,
      requestId: request.id,
      response,
      uploads: large ? large.uploads : noUploads,
      identify: (session) => authenticate.identifyActor(request, session),
      setSession,
      reserve: (bytes) => holds.answer().take(bytes),
    })
    // The sender may have lost their rights while they held the end of a large body back.
    if (large) await call.identifyAgain()

    let batch: BatchAnswer | undefined
    const addToBatch = async (one: RpcAnswer) => {
      batch ??= makeBatchAnswer(response, () => beginAnswer(exchange, 200))
      await batch.add(one, holds.answer())
      holds.releaseAnswer()
    }
    try {
      const dispatch = dispatching(call, caller, isCrossSite)
      const body = large ? large.rest : exchange.body!
      const answered = await answerBody(body, parseFor(caller.actor), dispatch, addToBatch)
      if (!batch) return await sendAnswer(exchange, answered, holds.answer)
      const text = batch.finish()
      return text === undefined ? end(exchange, 200) : sendText(exchange, text)
    } finally {
      holds.release()
      if (large) await large.close()
    }
  }

  async function readLarge(
    exchange: Exchange,
    stream: IncomingMessage,
    { actor }: Caller,
    { body, file }: Holds,
  ): Promise<LargeBody> {
    const isAnonymous = actor.account === undefined
    const paid = { take: (bytes: number) => body().take(bytes), takeFile: (bytes: number) => file().take(bytes) }
    try {
      return await readLargeBody(stream, { maxBytes: maxBodyBytes, isAnonymous, openFile, ...paid })
    } catch (error) {
      // The rest of the body may still arrive.
      exchange.isLastOfConnection = true
      throw error
    }
  }

  async function fail(exchange: Exchange, error: ThrownError): Promise<void> {
    const { request, response, body } = exchange
    // Who left gave up what they held, and so nothing more of theirs is read: that is no failure of the server.
    if (response.destroyed && error instanceof Failure && error.code === 'bytes-held') return
    // What is half written can't be taken back; only its end tells the client.
    if (response.headersSent) {
      toRpcError(error, request.id, log)
      return void (response.writableEnded || response.destroy())
    }
    const { statusCode = 500 } = error
    if (statusCode === 413) return send(exchange, refuse(null, invalidRequest, error.message), 413)
    // A body that was refused for want of room is not read to its end.
    if (error instanceof Failure && error.code === 'bytes-held') exchange.isLastOfConnection = true
    if (statusCode < 500) return send(exchange, refuse(null, invalidRequest, error.message))
    // While the database is away the caller is unknown, but the calls can be read: each gets its own error.
    const fault = { error: toRpcError(error, request.id, log) }
    const answered = body
      ? await answerBody(body, parseFor({ account: undefined, address: request.ip }), async () => fault)
      : refuseAll(fault)
    return send(exchange, answered)
  }

  return {
    serve(raw, response) {
      if (raw.method !== 'POST' || !isRoot(raw.url ?? '')) return false
      void serve(new Exchange(new HttpRequest(raw, needs.beginRequest(raw), noParams, needs.trustsProxy), response))
      return true
    },

    async plugin(server) {
      // Made for whoever asks: nobody does at most servers, and it is long.
      server.get('/-/judge/openapi.json', async (_request, reply) =>
        reply
          .headers(securityHeaders)
          .type('application/json')
          .send(JSON.stringify(describeMethods(methods))),
      )
    },
  }
}

type ParsingFor = Parameters<ParseJson>[0]
type ThrownError = Error & { readonly statusCode?: number }

const noParams = {}

/** With or without a query, which means nothing here. */
const isRoot = (url: string): boolean => url === '/' || (url.startsWith('/') && findQuery(url) === 1)

const refuseAll = (fault: { error: RpcError }): RpcAnswer => ({ jsonrpc: '2.0', id: null, ...fault })
