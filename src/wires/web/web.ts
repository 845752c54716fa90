/** The page's wire: the one owner of what lies under `/-/`, but for what other wires have named there. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireSignIn } from '../../accounts/actor.ts'
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { addCommonHeaders } from '../../http/security-headers.ts'
import { statusOf } from '../failure-status.ts'
import type { Identify } from '../identify.ts'
import { isForPeople, matchesEtag } from '../response.ts'
import { sendAsset } from './assets.ts'
import { findBundle } from './bundle.ts'
import { type Descriptions, serveDescriptions, writeOperations } from './descriptions.ts'
import { frontPage } from './front-page.ts'
import { makeLive, mostWatched, type SubmissionChanges } from './live.ts'
import { readReference } from './reference.ts'
import { sendShell } from './shell.ts'

type Web = {
  readonly identify: Identify
  readonly log: Log
  readonly submissions: SubmissionChanges
  readonly descriptions: Descriptions
}

export async function web(server: FastifyInstance, { identify, log, submissions, descriptions }: Web): Promise<void> {
  addCommonHeaders(server)
  const live = makeLive({ ...submissions, log })
  server.addHook('preClose', async () => live.close())
  server.setErrorHandler((error, request, reply) => {
    if (error instanceof Failure) return reply.code(statusOf(error)).send({ message: error.message })
    log.error({ err: error, requestId: request.id }, 'the page could not be sent')
    return reply
      .code(500)
      .send({ message: 'This went wrong on the server; its log tells more.', requestId: request.id })
  })

  const html = (reply: FastifyReply) => reply.header('vary', 'Accept').type('text/html; charset=utf-8')
  const orShell =
    (forPrograms: (request: FastifyRequest, reply: FastifyReply) => unknown) =>
    (request: FastifyRequest, reply: FastifyReply) =>
      isForPeople(request) ? sendShell(request, reply, log) : forPrograms(request, reply)

  server.get(
    '/-/',
    orShell((_request, reply) => html(reply).send(frontPage)),
  )
  serveDescriptions(server, descriptions)
  // Where `documentation_url` led before; browsers keep the anchor.
  server.get('/-/docs/hosting', (_request, reply) => reply.redirect('/-/docs/forge', 301))
  server.get(
    '/-/docs/forge',
    orShell(async (request, reply) => {
      const { html: text, etag } = await readReference(() => writeOperations(descriptions.forge!()))
      html(reply).headers({ etag, 'cache-control': 'no-cache' })
      return matchesEtag(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(text)
    }),
  )
  // This is a data set's `consoleUrl`, which its feed links to.
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
    submissions.demandScope(actor)
    const { submissions: named = '' } = request.query as { submissions?: string }
    const form = new RegExp(`^(?:\\d{1,15}(?:,\\d{1,15}){0,${mostWatched - 1}})?$`)
    if (typeof named !== 'string' || !form.test(named))
      throw new Failure('invalid', 'invalid-watch', `Name at most ${mostWatched} ids in submissions, with commas.`)
    const watched = named === '' ? undefined : named.split(',').map(Number)
    const stream = await live.open(actor, watched, readLastEventId(request))
    return reply
      .headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .send(stream)
  })
  // A user's or a repository's `html_url` leads here.
  server.get(
    '/-/*',
    orShell((_request, reply) => html(reply.code(404)).send(frontPage)),
  )
}

function readLastEventId({ headers }: FastifyRequest): string | undefined {
  const given = headers['last-event-id']
  return typeof given === 'string' ? given : undefined
}
