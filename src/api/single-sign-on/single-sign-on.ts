/**
 * The pages on which a user authorises a token for an organisation with single sign-on, and the endpoint for its
 * provider's response.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../../accounts/sign-in/sessions.ts'
import type { Attempts } from '../../forge/single-sign-on/attempts.ts'
import { maxResponseBytes } from '../../forge/single-sign-on/saml.ts'
import { demand } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import type { Identify } from '../identity/identify.ts'
import { originOf } from '../identity/origin.ts'
import { formOf, makePageServer, show } from '../plain-pages/page-server.ts'
import { continuationPage, signInPage } from '../plain-pages/plain-page.ts'
import { authorizationPage, donePage } from './sign-on-pages.ts'

export type SingleSignOnNeeds = {
  readonly attempts: Attempts
  readonly sessions: Sessions
  readonly identify: Identify
  readonly log: Log
  readonly baseUrl: string | undefined
}

type SignOnRequest = FastifyRequest<{
  Params: { org: string }
  Querystring: { authorization_request?: string; ticket?: string }
}>

/** A response in Base64, with the rest of the form. */
const maxFormBytes = maxResponseBytes * 2

const loopback = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

export async function singleSignOn(server: FastifyInstance, needs: SingleSignOnNeeds): Promise<void> {
  const { attempts, sessions, identify, log, baseUrl } = needs
  const { findSession, demandOwnPage, signIn } = makePageServer(server, {
    sessions,
    identify,
    log,
    baseUrl,
    maxFormBytes,
  })

  /** The client chooses the Host header: it must not make a provider's response to another server valid here. */
  function serviceOrigin(request: FastifyRequest): string {
    const origin = originOf(request, baseUrl)
    const message = 'Single sign-on needs the setting GUILDHALL_BASE_URL: ask the server’s admin.'
    demand(baseUrl !== undefined || loopback.test(origin), 'forbidden', 'base-url-unset', message)
    return origin
  }

  const pathOf = ({ params, query }: SignOnRequest, page = 'sso'): string =>
    `/orgs/${encodeURIComponent(params.org)}/${page}?authorization_request=${encodeURIComponent(query.authorization_request ?? '')}`

  server.get('/orgs/:org/sso', async (request: SignOnRequest, reply) => {
    const actor = await findSession(request)
    if (!actor) return show(reply, signInPage(pathOf(request, 'sso/session')))
    const { organisation, ...token } = await attempts.describe(
      actor,
      request.params.org,
      request.query.authorization_request ?? '',
    )
    return show(reply, authorizationPage(pathOf(request), { ...token, organisation: organisation.login }))
  })

  server.post('/orgs/:org/sso/session', (request: SignOnRequest, reply) =>
    signIn(request, reply, pathOf(request, 'sso/session'), () => reply.redirect(pathOf(request), 303)),
  )

  server.post('/orgs/:org/sso', async (request: SignOnRequest, reply) => {
    demandOwnPage(request)
    const actor = await findSession(request)
    if (!actor) return show(reply, signInPage(pathOf(request, 'sso/session')), 401)
    const text = request.query.authorization_request ?? ''
    const url = await attempts.begin(actor, request.params.org, text, serviceOrigin(request))
    return reply.redirect(url, 303)
  })

  const goOn = (request: SignOnRequest, reply: FastifyReply, ticket: string) =>
    show(reply, continuationPage(`/orgs/${encodeURIComponent(request.params.org)}/sso/finish?ticket=${ticket}`))

  server.get('/orgs/:org/oidc/callback', async (request: SignOnRequest, reply) => {
    const url = new URL(request.url, serviceOrigin(request))
    return goOn(request, reply, await attempts.takeCallback(request.params.org, url))
  })

  server.post('/orgs/:org/saml/consume', async (request: SignOnRequest, reply) => {
    const response = formOf(request).get('SAMLResponse') ?? ''
    return goOn(request, reply, await attempts.takeResponse(request.params.org, response, serviceOrigin(request)))
  })

  server.get('/orgs/:org/saml/metadata', async (request: SignOnRequest, reply) => {
    const xml = await attempts.describeService(request.params.org, serviceOrigin(request))
    return reply.type('application/samlmetadata+xml').send(xml)
  })

  server.get('/orgs/:org/sso/finish', async (request: SignOnRequest, reply) => {
    const actor = await findSession(request)
    demand(actor, 'unauthenticated', 'sign-in-needed', 'Sign in with the account that started this, and start again.')
    const { login } = await attempts.finish(actor, request.params.org, request.query.ticket ?? '')
    return show(reply, donePage(login))
  })
}
