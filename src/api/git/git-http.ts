/**
 * Git's own protocol over HTTP, at `/{owner}/{repo}.git` and, for wikis, at `/{owner}/{repo}.wiki.git`: checks access,
 * then streams in both directions.
 */
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import type { Opening } from '../../forge/access/opening.ts'
import { notFound } from '../../forge/failures.ts'
import { onAccount } from '../../forge/git/process/processor-accounting.ts'
import type { Exchange, GitService, Serving } from '../../forge/git/serve/serving.ts'
import type { Wikis } from '../../forge/git/wikis.ts'
import type { SignOnServices } from '../../forge/single-sign-on/sign-on-services.ts'
import { type ByteBudget, payerOf } from '../../http/byte-budget.ts'
import { cut, writePieces } from '../../http/long-answers.ts'
import { onceClosed } from '../../http/once-closed.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { resumeRequest, takeBodiesAsStreams } from '../../http/streamed-bodies.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import { statusOf } from '../failure-status.ts'
import type { Identify } from '../identity/identify.ts'
import { originOf } from '../identity/origin.ts'
import { requireSignOn } from '../identity/sign-on-headers.ts'
import { gitAccountOf, isWiki, makeGitAccess } from './git-access.ts'

export type GitHttpNeeds = {
  readonly opening: Opening
  readonly serving: Serving
  readonly wikis: Wikis
  readonly singleSignOn: SignOnServices
  readonly identify: Identify
  readonly log: Log
  readonly gitIdleMs: number
  readonly budget: ByteBudget
  readonly baseUrl: string | undefined
}

type Address = { Params: { owner: string; repo: string }; Querystring: { service?: string } }
type Request = FastifyRequest<Address>

export async function gitHttp(server: FastifyInstance, needs: GitHttpNeeds): Promise<void> {
  const { opening, serving, wikis, singleSignOn, identify, log, gitIdleMs: idleMs, baseUrl, budget } = needs
  takeBodiesAsStreams(server)

  const { open, push } = makeGitAccess<Request>({ opening, identify, servesWikis: true })
  const servingOf = (request: Request) => (isWiki(request) ? wikis.serving : serving)

  const handled =
    (act: (request: Request, reply: FastifyReply) => Promise<void>) =>
    async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
      reply.hijack()
      // A client that neither sends nor reads must not occupy a git process: git itself sends something every few
      // seconds.
      reply.raw.setTimeout(idleMs, () => reply.raw.destroy())
      try {
        // No name contains a NUL, and PostgreSQL accepts none.
        if (request.url.includes('%00')) throw notFound()
        await act(request, reply)
      } catch (error) {
        await refuse(request, reply, error)
      }
      return reply
    }

  async function refuse(request: Request, reply: FastifyReply, error: unknown): Promise<void> {
    // After the headers only the connection can be broken off, and a client that has disconnected needs no response.
    if (reply.raw.headersSent || reply.raw.destroyed) {
      log.debug({ err: error, requestId: request.id }, 'a git exchange broke off')
      return void reply.raw.destroy()
    }
    const outage = explainOutage(error)
    const failure = outage instanceof Failure ? outage : undefined
    const about = { err: error, requestId: request.id }
    if (!failure) log.error(about, 'a git request failed')
    else if (failure.kind === 'unavailable') logOutage(log, 'error', about, 'a git request could not be served')
    // Input that git can't read is a malformed request.
    const status = failure ? (failure.kind === 'invalid' ? 400 : statusOf(failure)) : 500
    const text = `${failure?.message ?? 'Server Error'}\n`
    const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="Guildhall", charset="UTF-8"' } : {}
    const { retryAfterSeconds } = failure?.detail ?? {}
    const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
    const type = { 'content-type': 'text/plain; charset=utf-8' }
    const path =
      failure?.detail.signOnFor === undefined
        ? undefined
        : await singleSignOn.makeAddress(await identify(request), failure)
    const address = path && originOf(request, baseUrl) + path
    const signOn = address ? requireSignOn(address) : {}
    reply.raw.writeHead(status, { ...common(request), ...type, ...challenge, ...wait, ...signOn })
    reply.raw.end(address ? `${text}Authorize the token within an hour at ${address}\n` : text)
    resumeRequest(request)
  }

  server.get<Address>(
    '/:owner/:repo/info/refs',
    { config: { name: '/:owner/:repo.git/info/refs' } },
    handled(async (request, reply) => {
      const service = /^git-(upload-pack|receive-pack)$/.exec(request.query.service ?? '')?.[1] as
        | GitService
        | undefined
      if (!service) throw new Failure('forbidden', 'dumb-http', 'Use a git that speaks the smart HTTP protocol.')
      const { actor, repository } = service === 'upload-pack' ? await open(request) : await push(request)
      const protocol = readProtocol(request)
      const bytes = await onAccount(gitAccountOf(actor), () =>
        servingOf(request).advertise(repository, service, protocol),
      )
      const type = `application/x-git-${service}-advertisement`
      const hold = budget.hold(payerOf(actor), () => reply.raw.destroy())
      onceClosed(reply.raw, hold.release)
      await hold.take(bytes.length)
      reply.raw.writeHead(200, { ...common(request), 'content-type': type, 'content-length': bytes.length })
      await writePieces(reply.raw, cut(bytes), hold)
      reply.raw.end()
    }),
  )

  function makeExchange(request: Request, reply: FastifyReply, service: GitService): Exchange {
    const gone = new AbortController()
    onceClosed(reply.raw, () => gone.abort())
    return {
      protocol: readProtocol(request),
      input: readInput(request),
      // git sends a length for requests that it holds whole, at most a mebibyte.
      isLong: request.headers['content-length'] === undefined,
      signal: gone.signal,
      // Sends headers with git's first output, not before: until then a failure can still set the status.
      respond() {
        const headers = { ...common(request), 'content-type': `application/x-git-${service}-result` }
        for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value)
        // An invalid content type has set another status here.
        reply.raw.statusCode = 200
        return reply.raw
      },
      isAnswering: () => reply.raw.headersSent,
      releaseInput: () => resumeRequest(request),
    }
  }

  /** Runs an exchange on the caller's account. An unreadable request is the caller's mistake. */
  async function carryOut(request: Request, actor: Actor, exchange: () => Promise<void>): Promise<void> {
    // Silent clients are disconnected by the rules of git's slots.
    const hold = budget.hold(payerOf(actor))
    try {
      await hold.take(Math.min(Number(request.headers['content-length'] ?? heldBytes), heldBytes))
      await onAccount(gitAccountOf(actor), exchange)
    } catch (error) {
      throw asMalformed(error)
    } finally {
      hold.release()
    }
  }

  server.post<Address>(
    '/:owner/:repo/git-upload-pack',
    { config: { name: '/:owner/:repo.git/git-upload-pack' } },
    handled(async (request, reply) => {
      const { actor, repository } = await open(request)
      const exchange = makeExchange(request, reply, 'upload-pack')
      const openAgain = async () => (await open(request)).repository
      await carryOut(request, actor, () => servingOf(request).upload(repository, { ...exchange, openAgain }))
    }),
  )
  server.post<Address>(
    '/:owner/:repo/git-receive-pack',
    { config: { name: '/:owner/:repo.git/git-receive-pack' } },
    handled(async (request, reply) => {
      const access = await push(request)
      const exchange = makeExchange(request, reply, 'receive-pack')
      const enterAgain = () => push(request)
      await carryOut(request, access.actor, () => servingOf(request).receive(access, { ...exchange, enterAgain }))
    }),
  )
}

/** The bytes of a request in memory at a time, counted from before it has its slot. */
const heldBytes = 256 * 1024

const common = (request: Request) => ({
  ...securityHeaders,
  'x-request-id': request.id,
  'cache-control': 'no-cache, max-age=0, must-revalidate',
})

/** zlib's errors mean that the body does not match its Content-Encoding. */
function asMalformed(error: unknown): unknown {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string' || !code.startsWith('Z_')) return error
  return new Failure('invalid', 'malformed-body', 'The body is not valid gzip, as its Content-Encoding says.')
}

/** `version=2` and the like; undefined for anything malformed. */
function readProtocol({ headers }: Request): string | undefined {
  const asked = headers['git-protocol']
  return typeof asked === 'string' && /^[a-z0-9=:.-]{1,100}$/i.test(asked) ? asked : undefined
}

function readInput(request: Request): Readable {
  // A request with neither a length nor chunks has no body.
  const body = (request.body as Readable | undefined) ?? Readable.from([])
  if (!/^(?:x-)?gzip$/i.test(request.headers['content-encoding'] ?? '')) return body
  const plain = createGunzip()
  // The reader handles the error; this listener only keeps it from being unhandled before there is a reader.
  plain.on('error', () => {})
  body.on('error', (error) => plain.destroy(error))
  return body.pipe(plain)
}
