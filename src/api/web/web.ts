/** The page's routes: everything under `/-/`, except the paths that other APIs register there. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireSignIn } from '../../accounts/actor.ts'
import { addCommonHeaders } from '../../http/security-headers.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { statusOf } from '../failure-status.ts'
import type { Identify } from '../identity/identify.ts'
import { isForPeople, matchesEtag } from '../response.ts'
import { sendAsset } from './assets.ts'
import { findBundle } from './bundle.ts'
import { type Descriptions, serveDescriptions, writeOperations } from './descriptions.ts'
import { frontPage } from './front-page.ts'
import { type InboxChanges, makeLive, mostWatched, type SubmissionChanges } from './live.ts'
import { readReference } from './reference.ts'
import { isOwnView, sendShell } from './shell.ts'
import { makeThreadLive, type ThreadChanges } from './thread-live.ts'

type Web = {
  readonly identify: Identify
  readonly log: Log
  readonly submissions: SubmissionChanges
  readonly inboxes: InboxChanges
  readonly threads: ThreadChanges
  readonly descriptions: Descriptions
}

export async function web(server: FastifyInstance, needs: Web): Promise<void> {
  const { identify, log, submissions, inboxes, threads, descriptions } = needs
  addCommonHeaders(server)
  const live = makeLive({ ...submissions, inboxes, log })
  const threadLive = makeThreadLive({ ...threads, log })
  server.addHook('preClose', async () => {
    live.close()
    threadLive.close()
  })
  server.setErrorHandler((error, request, reply) => {
    if (error instanceof Failure) return reply.code(statusOf(error)).send({ message: error.message })
    log.error({ err: error, requestId: request.id }, 'the page could not be sent')
    return reply
      .code(500)
      .send({ message: 'Something went wrong on the server; its log has the details.', requestId: request.id })
  })

  const html = (reply: FastifyReply) => reply.header('vary', 'Accept').type('text/html; charset=utf-8')
  const orShell =
    (forPrograms: (request: FastifyRequest, reply: FastifyReply) => unknown) =>
    (request: FastifyRequest, reply: FastifyReply) =>
      isForPeople(request) ? sendShell(reply, log, isOwnView(request.url)) : forPrograms(request, reply)

  server.get(
    '/-/',
    orShell((_request, reply) => html(reply).send(frontPage)),
  )
  serveDescriptions(server, descriptions)
  // The former target of `documentation_url`; browsers keep the anchor.
  server.get('/-/docs/hosting', (_request, reply) => reply.redirect('/-/docs/forge', 301))
  server.get(
    '/-/docs/forge',
    orShell(async (request, reply) => {
      const { html: text, etag } = await readReference(() => writeOperations(descriptions.forge!()))
      html(reply).headers({ etag, 'cache-control': 'no-cache' })
      return matchesEtag(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(text)
    }),
  )
  // A data set's `consoleUrl`, to which its feed links.
  server.get(
    '/-/datasets/:id',
    orShell((request, reply) => {
      const { id } = request.params as { id: string }
      return reply.redirect(`/v2/datasets/${encodeURIComponent(id)}/items?format=html`)
    }),
  )
  server.get('/-/assets/:name', sendAsset)
  server.get('/-/manifest.json', async (_request, reply) => {
    const { documents } = await findBundle()
    return reply.header('cache-control', 'no-cache').send({ documents })
  })
  server.get('/-/live', async (request, reply) => {
    const actor = await identify(request)
    requireSignIn(actor)
    const query = request.query as Readonly<Record<string, unknown>>
    const issues = readIds(query, 'issues')
    const repositories = readIds(query, 'repositories')
    const ids = readIds(query, 'submissions')
    // A request for other things only gets no submissions.
    const hasInbox = query.inbox !== undefined
    const hasThreads = issues.length + repositories.length > 0
    const hasSubmissions = query.submissions !== undefined || !(hasInbox || hasThreads)
    if (hasInbox) inboxes.demandScope(actor)
    if (hasSubmissions) submissions.demandScope(actor)
    const watched = hasSubmissions ? (ids.length > 0 ? ids : undefined) : []
    const stream = await live.open(actor, watched, readLastEventId(request), hasInbox)
    if (hasThreads) threadLive.watch(actor, stream, { issues: new Set(issues), repositories: new Set(repositories) })
    return reply
      .headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .send(stream)
  })
  server.get(
    '/-/*',
    orShell((_request, reply) => html(reply.code(404)).send(frontPage)),
  )
}

const idsForm = new RegExp(`^(?:\\d{1,15}(?:,\\d{1,15}){0,${mostWatched - 1}})?$`)

/** Comma-separated ids in a query parameter. */
function readIds(query: Readonly<Record<string, unknown>>, name: string): number[] {
  const { [name]: text = '' } = query
  if (typeof text !== 'string' || !idsForm.test(text))
    throw new Failure('invalid', 'invalid-watch', `Name at most ${mostWatched} ids in ${name}, with commas.`)
  return text === '' ? [] : text.split(',').map(Number)
}

function readLastEventId({ headers }: FastifyRequest): string | undefined {
  const given = headers['last-event-id']
  return typeof given === 'string' ? given : undefined
}
