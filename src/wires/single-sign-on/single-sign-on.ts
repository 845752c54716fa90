/** The pages by which a person authorises a token for an organisation with single sign-on, and where its provider answers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../../accounts/sign-in/sessions.ts'
import { demand } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { Forge } from '../../forge/forge.ts'
import { maxResponseBytes } from '../../forge/single-sign-on/saml.ts'
import type { Identify } from '../identify.ts'
import { originOf } from '../origin.ts'
import { formOf, makePageServer, show } from '../page-server.ts'
import { continuationPage, signInPage } from '../pages.ts'
import { authorizationPage, donePage } from './pages.ts'

export type SingleSignOnWire = {
  readonly forge: Forge
  readonly sessions: Sessions
  readonly identify: Identify
  readonly log: Log
  readonly baseUrl: string | undefined
}

type Asked = FastifyRequest<{
  Params: { org: string }
  Querystring: { authorization_request?: string; ticket?: string }
}>

/** A response in base64, with what surrounds it in the form. */
const maxFormBytes = maxResponseBytes * 2

const loopback = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

export async function singleSignOn(server: FastifyInstance, needs: SingleSignOnWire): Promise<void> {
  const { forge, baseUrl } = needs
  const { attempts } = forge.singleSignOn

  const { findSession, demandOwnPage, signIn } = makePageServer(server, { ...needs, maxFormBytes })

  /** A Host header is the client's own word: a provider's answer to another server must not count here by it. */
  function serviceOrigin(request: FastifyRequest): string {
    const origin = originOf(request, baseUrl)
    const message = 'Single sign-on needs the setting GUILDHALL_BASE_URL: ask the server’s admin.'
    demand(baseUrl !== undefined || loopback.test(origin), 'forbidden', 'base-url-unset', message)
    return origin
  }

  const pathOf = ({ params, query }: Asked, page = 'sso'): string =>
    `/orgs/${encodeURIComponent(params.org)}/${page}?authorization_request=${encodeURIComponent(query.authorization_request ?? '')}`

  server.get('/orgs/:org/sso', async (request: Asked, reply) => {
    const actor = await findSession(request)
    if (!actor) return show(reply, signInPage(pathOf(request, 'sso/session')))
    const { organisation, ...token } = await attempts.describe(
      actor,
      request.params.org,
      request.query.authorization_request ?? '',
    )
    return show(reply, authorizationPage(pathOf(request), { ...token, organisation: organisation.login }))
  })

  server.post('/orgs/:org/sso/session', (request: Asked, reply) =>
    signIn(request, reply, pathOf(request, 'sso/session'), () => reply.redirect(pathOf(request), 303)),
  )

  server.post('/orgs/:org/sso', async (request: Asked, reply) => {
    demandOwnPage(request)
    const actor = await findSession(request)
    if (!actor) return show(reply, signInPage(pathOf(request, 'sso/session')), 401)
    const text = request.query.authorization_request ?? ''
    const url = await attempts.begin(actor, request.params.org, text, serviceOrigin(request))
    return reply.redirect(url, 303)
  })

  const goOn = (request: Asked, reply: FastifyReply, ticket: string) =>
    show(reply, continuationPage(`/orgs/${encodeURIComponent(request.params.org)}/sso/finish?ticket=${ticket}`))

  server.get('/orgs/:org/oidc/callback', async (request: Asked, reply) => {
    const url = new URL(request.url, serviceOrigin(request))
    return goOn(request, reply, await attempts.takeCallback(request.params.org, url))
  })

  server.post('/orgs/:org/saml/consume', async (request: Asked, reply) => {
    const response = formOf(request).get('SAMLResponse') ?? ''
    return goOn(request, reply, await attempts.takeResponse(request.params.org, response, serviceOrigin(request)))
  })

  server.get('/orgs/:org/saml/metadata', async (request: Asked, reply) => {
    const xml = await attempts.describeService(request.params.org, serviceOrigin(request))
    return reply.type('application/samlmetadata+xml').send(xml)
  })

  server.get('/orgs/:org/sso/finish', async (request: Asked, reply) => {
    const actor = await findSession(request)
    demand(actor, 'unauthenticated', 'sign-in-needed', 'Sign in with the account that began this, and begin again.')
    const { login } = await attempts.finish(actor, request.params.org, request.query.ticket ?? '')
    return show(reply, donePage(login))
  })
}
