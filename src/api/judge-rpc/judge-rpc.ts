/** The judge's API: every operation is a POST to `/`, and every JSON-RPC response has the status 200. */

import { PassThrough, type Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Budgets, countedBytes, payerOf } from '../../http/byte-budget.ts'
import { cut, paidStream } from '../../http/long-answers.ts'
import { addCommonHeaders } from '../../http/security-headers.ts'
import { takeBodiesAsStreams } from '../../http/streamed-bodies.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { type Authenticate, type Caller, isSameOrigin, readCookie } from '../identity/authenticate.ts'
import { formatCookie } from '../identity/session-cookie.ts'
import type { ParseJson } from '../json/json-parsing.ts'
import { makeBatchAnswer } from './batch-answer.ts'
import { maxBodyBytes, takeBody } from './body-reading.ts'
import { makeCallRate } from './call-rate.ts'
import { toRpcError } from './errors.ts'
import { HttpCall } from './http-call.ts'
import { serializeAnswer } from './long-text.ts'
import type { Method } from './method.ts'
import { makeMethodDispatch } from './method-dispatch.ts'
import { describeMethods } from './openapi.ts'
import { answerBody, type Dispatch, invalidRequest, type RpcAnswer, refuse } from './protocol.ts'
import { makeRequestBytes, type RequestBytes } from './request-bytes.ts'
import { maxValues } from './uploads/json-structure.ts'
import { type LargeBody, noUploads, readLargeBody, type UploadFile } from './uploads/large-body.ts'

export type JudgeRpcNeeds = {
  readonly methods: readonly Method[]
  readonly authenticate: Authenticate
  readonly baseUrl: string | undefined
  readonly log: Log
  openFile(): Promise<UploadFile>
  readonly callsPerMinute: number
  readonly budgets: Budgets
  readonly parseJson: ParseJson
}

export async function judgeRpc(app: FastifyInstance, needs: JudgeRpcNeeds): Promise<void> {
  const { methods, authenticate, baseUrl, log, openFile, callsPerMinute, budgets } = needs
  const dispatching = makeMethodDispatch({ methods, log, demandRate: makeCallRate(callsPerMinute) })
  const parseFor = (actor: ParsingFor) => (bytes: Buffer) => needs.parseJson(actor, bytes, { values: maxValues })

  addCommonHeaders(app)
  takeBodiesAsStreams(app, fail, (request, payload) => takeBody(request, payload, budgets.memory))
  app.post('/', answer)
  // Generated per request: it is long, and on most servers nobody reads it.
  app.get('/-/judge/openapi.json', async (_request, reply) => reply.type(json).send(toBytes(describeMethods(methods))))

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const caller = await authenticate.identify(request)
    const isOwnPage = isSameOrigin(request, baseUrl)
    const isCrossSite = caller.via === 'cookie' && !caller.isUnknown && !isOwnPage
    // Another site's page must not be able to sign its visitors in here as a user of its choice.
    const setSession = (token: string | undefined) => {
      if (isOwnPage) reply.header('set-cookie', formatCookie(request, token, baseUrl))
    }
    if (caller.via === 'cookie' && caller.wasRenewed && !isCrossSite) setSession(readCookie(request))
    const holds = makeRequestBytes(budgets, payerOf(caller.actor), reply.raw)
    const large = isStream(request.body) ? await readLarge(request.body, caller, holds) : undefined
    const call = new HttpCall({
      actor: caller.actor,
      requestId: request.id,
      response: reply.raw,
      uploads: large ? large.uploads : noUploads,
      identify: (session) => authenticate.identifyActor(request, session),
      setSession,
      reserve: async (bytes) => holds.answer().take(bytes),
    })
    try {
      // The sender may have lost their rights while they withheld the end of a large body.
      if (large) await call.identifyAgain()
      const body = large ? large.rest : ((request.body as Buffer | undefined) ?? nothing)
      await carryOut(body, caller, dispatching(call, caller, isCrossSite), holds, reply)
    } finally {
      if (large) await large.close()
    }
    return reply
  }

  /** A batch is completed even if its client disconnects. */
  async function carryOut(
    body: Buffer,
    { actor }: Caller,
    dispatch: Dispatch,
    holds: RequestBytes,
    reply: FastifyReply,
  ): Promise<void> {
    let isBatch = false
    let output: PassThrough | undefined
    const batch = makeBatchAnswer(() => {
      output = new PassThrough()
      reply.type(json).send(output)
      return output
    })
    const addToBatch = async (one: RpcAnswer) => {
      isBatch = true
      await batch.add(one, holds.answer())
      holds.releaseAnswer()
    }
    try {
      const answered = await answerBody(body, parseFor(actor), dispatch, addToBatch)
      if (!isBatch) return await sendAnswer(reply, answered as RpcAnswer | undefined, holds)
      const text = batch.finish()
      if (text !== undefined) reply.type(json).send(Buffer.from(text))
    } catch (error) {
      if (!reply.sent) throw error
      // A half-written response can't be replaced: breaking it off tells the client.
      toRpcError(error, reply.request.id, log)
      output?.destroy()
    }
  }

  /** A long response is charged until the client has read it. */
  async function sendAnswer(reply: FastifyReply, answered: RpcAnswer | undefined, holds: RequestBytes): Promise<void> {
    const text = answered && serializeAnswer(answered)
    if (text === undefined) return void reply.code(204).send()
    reply.type(json)
    if (typeof text !== 'string') return void reply.send(paidStream(text, holds.answer()))
    const bytes = Buffer.from(text)
    if (text.length <= countedBytes) return void reply.send(bytes)
    const hold = holds.answer()
    await hold.take(bytes.length)
    reply.header('content-length', bytes.length).send(paidStream(cut(bytes), hold))
  }

  function readLarge(stream: Readable, { actor }: Caller, { body, file }: RequestBytes): Promise<LargeBody> {
    const isAnonymous = actor.account === undefined
    const paid = { take: (bytes: number) => body().take(bytes), takeFile: (bytes: number) => file().take(bytes) }
    return readLargeBody(stream, { maxBytes: maxBodyBytes, isAnonymous, openFile, ...paid })
  }

  async function fail(error: ThrownError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { statusCode = 500 } = error
    const isOutOfSpace = error instanceof Failure && error.code === 'bytes-held'
    // The rest of a refused body may still arrive, so the connection can't be reused.
    if (statusCode < 500 || isOutOfSpace) reply.header('connection', 'close')
    if (statusCode < 500) reply.code(statusCode === 413 ? 413 : 200)
    if (statusCode < 500) return reply.type(json).send(toBytes(refuse(null, invalidRequest, error.message)))
    // Without the database the caller can't be identified, but the calls can be parsed: each gets its own error.
    const fault = { error: toRpcError(error, request.id, log) }
    const actor = { account: undefined, address: request.ip }
    const answered = Buffer.isBuffer(request.body)
      ? await answerBody(request.body, parseFor(actor), async () => fault)
      : { jsonrpc: '2.0', id: null, ...fault }
    return answered ? reply.code(200).type(json).send(toBytes(answered)) : reply.code(204).send()
  }
}

type ParsingFor = Parameters<ParseJson>[0]
type ThrownError = Error & { readonly statusCode?: number }

const json = 'application/json'
const nothing = Buffer.alloc(0)

/** Sent as bytes: Fastify would add a charset to a text, and JSON has none (RFC 8259, section 11). */
const toBytes = (value: object): Buffer => Buffer.from(JSON.stringify(value))

const isStream = (body: unknown): body is Readable => body !== undefined && !Buffer.isBuffer(body)
