/** The judge's wire: every operation is a POST to `/`, and every JSON-RPC response has the status 200. */
// `globalThis.performance` is a getter; importing it is measurably faster.
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { ObserveRead } from '../../base/observed.ts'
import { type Authenticate, type Caller, isSameOrigin, readCookie } from '../authenticate.ts'
import { type Budgets, payerOf } from '../byte-budget.ts'
import type { ParseJson } from '../json-parsing.ts'
import { type Observe, securityHeaders } from '../response.ts'
import { setCookie } from '../session-cookie.ts'
import { type BatchAnswer, makeBatchAnswer } from './batch-answer.ts'
import { addBodyParsers, maxBodyBytes } from './body-parsers.ts'
import { makeCallRate } from './call-rate.ts'
import { makeDispatching } from './dispatching.ts'
import { toRpcError } from './errors.ts'
import { type Holds, makeHolds } from './holds.ts'
import { HttpCall } from './http-call.ts'
import type { Method } from './method.ts'
import { describeMethods } from './openapi.ts'
import { answerBody, invalidRequest, type RpcAnswer, type RpcError, refuse } from './protocol.ts'
import { beginAnswer, makeSending } from './sending.ts'
import { maxValues } from './uploads/json-structure.ts'
import { type LargeBody, noUploads, readLargeBody, type UploadFile } from './uploads/large-body.ts'

export type JudgeRpc = {
  readonly methods: readonly Method[]
  readonly authenticate: Authenticate
  readonly baseUrl: string | undefined
  readonly log: Log
  readonly observe: Observe
  readonly observeRead: ObserveRead | undefined
  openFile(): Promise<UploadFile>
  readonly callsPerMinute: number
  readonly budgets: Budgets
  readonly parseJson: ParseJson
}

export async function judgeRpc(server: FastifyInstance, needs: JudgeRpc): Promise<void> {
  const { methods, authenticate, baseUrl, log, observe, observeRead, openFile, callsPerMinute, budgets } = needs
  const dispatching = makeDispatching({ methods, log, observeRead, demandRate: makeCallRate(callsPerMinute) })
  const { send, sendAnswer, sendText, end } = makeSending(observe)
  const parseFor = (actor: ParsingFor) => (bytes: Buffer) => needs.parseJson(actor, bytes, { values: maxValues })

  addBodyParsers(server, budgets.memory)
  server.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    const { statusCode = 500 } = error
    const startedAt = performance.now() - reply.elapsedTime
    if (statusCode === 413) return send(request, reply, startedAt, refuse(null, invalidRequest, error.message), 413)
    // A body that was refused for want of room is not read to its end.
    if (error instanceof Failure && error.code === 'bytes-held') reply.header('connection', 'close')
    if (statusCode < 500) return send(request, reply, startedAt, refuse(null, invalidRequest, error.message))
    // While the database is away the caller is unknown, but the calls can be read: each gets its own error.
    const fault = { error: toRpcError(error, request.id, log) }
    const { body } = request
    const answer = Buffer.isBuffer(body)
      ? await answerBody(body, parseFor({ account: undefined, address: request.ip }), async () => fault)
      : refuseAll(fault)
    return send(request, reply, startedAt, answer)
  })

  const description = JSON.stringify(describeMethods(methods))
  server.get('/-/judge/openapi.json', async (_request, reply) =>
    reply.headers(securityHeaders).type('application/json').send(description),
  )

  server.post('/', async (request, reply) => {
    const startedAt = performance.now()
    const caller = await authenticate.identify(request)
    const isOwnPage = isSameOrigin(request, baseUrl)
    const isCrossSite = caller.via === 'cookie' && !caller.isUnknown && !isOwnPage
    // Another site's page must not sign its visitors in here, as whomever it likes.
    const setSession = (token: string | undefined) => {
      if (isOwnPage) setCookie(request, reply, token, baseUrl)
    }
    if (caller.via === 'cookie' && caller.wasRenewed && !isCrossSite) setSession(readCookie(request))
    const holds = makeHolds(budgets, payerOf(caller.actor), reply.raw)
    const large = Buffer.isBuffer(request.body) ? undefined : await readLarge(request, reply, caller, holds)
    const body = large ? large.rest : (request.body as Buffer)
    const call = new HttpCall({
      actor: caller.actor,
      reply,
      uploads: large ? large.uploads : noUploads,
      identify: (session) => authenticate.identifyActor(request, session),
      setSession,
      reserve: (bytes) => holds.answer().take(bytes),
    })
    // The sender may have lost their rights while they held the end of a large body back.
    if (large) await call.identifyAgain()

    let batch: BatchAnswer | undefined
    const addToBatch = async (answer: RpcAnswer) => {
      batch ??= makeBatchAnswer(reply.raw, () => beginAnswer(request, reply, 200))
      await batch.add(answer, holds.answer())
      holds.releaseAnswer()
    }
    try {
      const dispatch = dispatching(call, caller, isCrossSite)
      const answer = await answerBody(body, parseFor(caller.actor), dispatch, addToBatch)
      if (!batch) return await sendAnswer(request, reply, startedAt, answer, holds.answer)
      const text = batch.finish()
      return text === undefined ? end(request, reply, startedAt, 200) : sendText(request, reply, startedAt, text)
    } finally {
      holds.release()
      if (large) await large.close()
    }
  })

  async function readLarge(
    request: FastifyRequest,
    reply: FastifyReply,
    { actor }: Caller,
    { body, file }: Holds,
  ): Promise<LargeBody> {
    const isAnonymous = actor.account === undefined
    const paid = { take: (bytes: number) => body().take(bytes), takeFile: (bytes: number) => file().take(bytes) }
    try {
      return await readLargeBody(request.body as Readable, { maxBytes: maxBodyBytes, isAnonymous, openFile, ...paid })
    } catch (error) {
      // The rest of the body may still arrive, so the connection can't be used again.
      reply.header('connection', 'close')
      throw error
    }
  }
}

type ParsingFor = Parameters<ParseJson>[0]

const refuseAll = (fault: { error: RpcError }): RpcAnswer => ({ jsonrpc: '2.0', id: null, ...fault })
