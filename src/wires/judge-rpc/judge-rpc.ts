/** The judge's wire: every operation is a POST to `/`, and every answer of JSON-RPC is a 200. */
// The global of that name is a getter, which was felt here.
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import { sessionLifetimeMs } from '../../accounts/sessions.ts'
import { hasScope } from '../../accounts/token.ts'
import { demand, Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { type Authenticate, type Caller, isSameOrigin, readCookie, sessionCookie } from '../authenticate.ts'
import { type Observe, securityHeaders } from '../response.ts'
import { type BatchAnswer, makeBatchAnswer } from './batch-answer.ts'
import { toRpcError } from './errors.ts'
import type { Call, Method } from './method.ts'
import { describeMethods } from './openapi.ts'
import {
  answerBody,
  type Dispatch,
  invalidRequest,
  methodNotFound,
  type RpcAnswer,
  type RpcError,
  refuse,
} from './protocol.ts'
import { type LargeBody, noUploads, readLargeBody, type UploadFile, type Uploads } from './uploads/large-body.ts'

const maxBodyBytes = 96 * 1024 * 1024
/** Longer ones, and those whose length is not told, are read as they arrive. */
const smallBodyBytes = 1024 * 1024

export type JudgeRpc = {
  readonly methods: readonly Method[]
  readonly authenticate: Authenticate
  readonly baseUrl: string | undefined
  readonly log: Log
  readonly observe: Observe
  openFile(): Promise<UploadFile>
}

export async function judgeRpc(
  server: FastifyInstance,
  { methods, authenticate, baseUrl, log, observe, openFile }: JudgeRpc,
): Promise<void> {
  const byName = new Map(methods.map((method) => [method.name, method]))

  server.removeAllContentTypeParsers()
  const small = { parseAs: 'buffer', bodyLimit: smallBodyBytes } as const
  server.addContentTypeParser(smallType, small, (_request, body, done) => done(null, body))
  server.addContentTypeParser(largeType, (request, payload, done) => {
    const isTooLarge = Number(request.headers['content-length']) > maxBodyBytes
    done(isTooLarge ? Object.assign(new Error('The body is too large.'), { statusCode: 413 }) : null, payload)
  })
  // The body is read as JSON whatever it is said to be; these types are found without taking them apart.
  server.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request
    headers['content-type'] = Number(headers['content-length']) <= smallBodyBytes ? smallType : largeType
    done()
  })
  server.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    const { statusCode = 500 } = error
    const startedAt = performance.now() - reply.elapsedTime
    if (statusCode === 413) {
      const answer = refuse(null, invalidRequest, `The body is over ${maxBodyBytes} bytes.`)
      return send(request, reply, startedAt, answer, 413)
    }
    if (statusCode < 500) return send(request, reply, startedAt, refuse(null, invalidRequest, error.message))
    // Nobody knows who calls while the database is away, but which calls they are: each gets its own answer.
    const fault = { error: toRpcError(error, request.id, log) }
    const { body } = request
    const answer = Buffer.isBuffer(body) ? await answerBody(body, async () => fault) : refuseAll(fault)
    return send(request, reply, startedAt, answer)
  })

  const description = JSON.stringify(describeMethods(methods))
  server.get('/-/judge/openapi.json', async (_request, reply) =>
    reply.headers(securityHeaders).type('application/json').send(description),
  )

  server.post('/', async (request, reply) => {
    const startedAt = performance.now()
    const caller = await authenticate.identify(request)
    const isForeign = caller.via === 'cookie' && !caller.isUnknown && !isSameOrigin(request, baseUrl)
    if (caller.via === 'cookie' && caller.wasRenewed && !isForeign) setCookie(request, reply, readCookie(request))
    const large = Buffer.isBuffer(request.body) ? undefined : await readLarge(request, reply, caller)
    const body = large ? large.rest : (request.body as Buffer)
    const uploads = large ? large.uploads : noUploads
    const call = new HttpCall(caller.actor, reply, uploads, (token) => setCookie(request, reply, token))

    const dispatch: Dispatch = async (name, params) => {
      try {
        const method = byName.get(name)
        if (!method) return { error: { code: methodNotFound, message: `There is no method ${quote(name)}.`, data: {} } }
        if (isForeign) throw foreignOrigin()
        if (!method.isOpen(params)) requireSignedIn(call.actor, caller)
        return { result: await method.run(call, params) }
      } catch (error) {
        return { error: toRpcError(error, request.id, log) }
      }
    }
    let batch: BatchAnswer | undefined
    const addToBatch = (answer: RpcAnswer) => {
      batch ??= makeBatchAnswer(reply.raw, () => begin(request, reply, 200))
      return batch.add(answer)
    }
    try {
      const answer = await answerBody(body, dispatch, addToBatch)
      if (!batch) return send(request, reply, startedAt, answer)
      const text = batch.finish()
      return text === undefined ? end(request, reply, startedAt, 200) : sendText(request, reply, startedAt, text)
    } finally {
      if (large) await large.close()
    }
  })

  async function readLarge(request: FastifyRequest, reply: FastifyReply, { actor }: Caller): Promise<LargeBody> {
    const isAnonymous = actor.account === undefined
    try {
      return await readLargeBody(request.body as Readable, { maxBytes: maxBodyBytes, isAnonymous, openFile })
    } catch (error) {
      // The rest of it may still be on its way.
      reply.header('connection', 'close')
      throw error
    }
  }

  const send = (request: FastifyRequest, reply: FastifyReply, startedAt: number, answer?: object, status?: number) =>
    sendText(request, reply, startedAt, answer ? JSON.stringify(answer) : '', status)

  function sendText(
    request: FastifyRequest,
    reply: FastifyReply,
    startedAt: number,
    text: string,
    status = text === '' ? 204 : 200,
  ): FastifyReply {
    begin(request, reply, status, Buffer.byteLength(text))
    reply.raw.end(text)
    return end(request, reply, startedAt, status)
  }

  /** By hand: Fastify would add a charset, which application/json does not have, and this way all leaves in one write. */
  function begin(request: FastifyRequest, reply: FastifyReply, status: number, length?: number): void {
    const headers = [...fixedHeaders, 'x-request-id', request.id]
    if (status !== 204) headers.push('content-type', 'application/json')
    if (length) headers.push('content-length', String(length))
    // A body that was not read to its end.
    if (reply.hasHeader('connection')) headers.push('connection', 'close')
    // Each call of a batch that signs in or out sets one, and the last counts.
    for (const cookie of [reply.getHeader('set-cookie') ?? []].flat()) headers.push('set-cookie', String(cookie))
    reply.hijack()
    reply.raw.writeHead(status, headers)
  }

  function end(request: FastifyRequest, reply: FastifyReply, startedAt: number, status: number): FastifyReply {
    observe('/', 'POST', status, performance.now() - startedAt, request.id, '/')
    return reply
  }

  function setCookie(request: FastifyRequest, reply: FastifyReply, token: string | undefined): void {
    const isSecure = baseUrl ? baseUrl.startsWith('https:') : request.protocol === 'https'
    const age = token === undefined ? 0 : sessionLifetimeMs / 1000
    const attributes = `Max-Age=${age}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
    reply.header('set-cookie', `${sessionCookie}=${token ?? ''}; ${attributes}`)
  }
}

const refuseAll = (fault: { error: RpcError }) => ({ jsonrpc: '2.0', id: null, ...fault })

/** Names for our own use: no client's type is looked at. */
const smallType = 'application/json'
const largeType = 'application/large'

/** As a flat list, which Node writes without making an object of it first. */
const fixedHeaders: readonly string[] = Object.entries(securityHeaders).flat()

/** A class, because its objects are made for every request, and a literal with a getter costs microseconds. */
class HttpCall implements Call {
  actor: Actor
  readonly requestId: string
  readonly uploads: Uploads
  readonly setSession: (token: string | undefined) => void
  readonly #reply: FastifyReply
  #gone: AbortController | undefined

  constructor(actor: Actor, reply: FastifyReply, uploads: Uploads, setSession: HttpCall['setSession']) {
    this.actor = actor
    this.uploads = uploads
    this.requestId = reply.request.id
    this.setSession = setSession
    this.#reply = reply
  }

  /** Few calls wait: the others need not pay for it. */
  get signal(): AbortSignal {
    if (!this.#gone) {
      const gone = new AbortController()
      this.#gone = gone
      this.#reply.raw.once('close', () => gone.abort())
    }
    return this.#gone.signal
  }
}

/** The contract's order: 17 comes before the params are looked at; what a token may not, after it is known to be one. */
function requireSignedIn(actor: Actor, caller: Caller): void {
  const hint = caller.isUnknown ? 'The session or token is unknown or has expired: sign in again.' : 'Sign in first.'
  demand(actor.account, 'unauthenticated', 'sign-in-needed', hint)
  if (actor.credential.kind !== 'token') return
  const { token } = actor.credential
  const serves = token.kind === 'classic' && hasScope(token, 'judge')
  demand(
    serves,
    'forbidden',
    'scope-missing',
    'This needs a session, or a classic personal token with the scope judge.',
  )
}

const foreignOrigin = () =>
  new Failure('forbidden', 'foreign-origin', 'A session cookie counts only from this server’s own pages.')

const quote = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
