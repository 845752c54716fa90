/** The steps that all server-rendered pages share: read forms, show failures, find and start sessions. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anonymous, type SignedIn } from '../../accounts/actor.ts'
import type { Sessions } from '../../accounts/sign-in/sessions.ts'
import { addCommonHeaders } from '../../http/security-headers.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import { statusOf } from '../failure-status.ts'
import { isSameOrigin } from '../identity/authenticate.ts'
import type { Identify } from '../identity/identify.ts'
import { formatCookie } from '../identity/session-cookie.ts'
import { failurePage, type Page, pageHeaders, renderPage, signInPage } from './plain-page.ts'

type Needs = {
  readonly sessions: Sessions
  readonly identify: Identify
  readonly log: Log
  readonly baseUrl: string | undefined
  readonly maxFormBytes: number
}

export const show = (reply: FastifyReply, page: Page, status = 200): FastifyReply =>
  reply.code(status).headers(pageHeaders(page)).type('text/html; charset=utf-8').send(renderPage(page))

export const formOf = ({ body }: FastifyRequest): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams()

export type PageServer = ReturnType<typeof makePageServer>

export function makePageServer(server: FastifyInstance, needs: Needs) {
  addCommonHeaders(server)
  const { sessions, identify, log, baseUrl, maxFormBytes } = needs

  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    async (_request: FastifyRequest, body: string | Buffer) => new URLSearchParams(String(body)),
  )
  server.setErrorHandler((error, request, reply) => {
    const { statusCode = 500 } = error as { statusCode?: number }
    const outage = explainOutage(error)
    if (outage instanceof Failure) {
      if (outage.kind === 'unavailable')
        logOutage(log, 'error', { err: error, requestId: request.id }, 'a page could not be served')
      const { retryAfterSeconds } = outage.detail
      if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
      return show(reply, failurePage(outage.message), statusOf(outage))
    }
    if (statusCode < 500) return show(reply, failurePage('This request can’t be read.'), statusCode)
    log.error({ err: error, requestId: request.id }, 'a page failed')
    return show(reply, failurePage(`Server Error: tell its admin the request id ${request.id}.`), 500)
  })

  function demandOwnPage(request: FastifyRequest): void {
    demand(isSameOrigin(request, baseUrl), 'forbidden', 'cross-origin', 'This form must be sent from its own page.')
  }

  return {
    demandOwnPage,

    async findSession(request: FastifyRequest): Promise<SignedIn | undefined> {
      const actor = await identify(request)
      return actor.account && actor.credential.kind === 'session' ? (actor as SignedIn) : undefined
    },

    /** Starts a session by name and password and continues; if they are wrong, shows the form again, at `action`. */
    async signIn(
      request: FastifyRequest,
      reply: FastifyReply,
      action: string,
      goOn: () => FastifyReply,
    ): Promise<FastifyReply> {
      demandOwnPage(request)
      const form = formOf(request)
      // No name contains a NUL, and no database accepts one.
      const name = (form.get('name') ?? '').slice(0, 100).replaceAll('\0', '')
      const password = (form.get('password') ?? '').slice(0, 1000)
      const session = await sessions.create(anonymous(request.ip), name, password).catch((error) => error)
      if (session instanceof Failure) return show(reply, signInPage(action, session.message), statusOf(session))
      if (session instanceof Error) throw session
      reply.header('set-cookie', formatCookie(request, session.token, baseUrl))
      return goOn()
    },
  }
}
