/**
 * `/login/oauth/authorize`: an app sends a browser here, its user allows or denies, and the browser returns to the app
 * (RFC 6749, section 4.1).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../accounts/actor.ts'
import { type AuthorizationRequest, readAuthorizationRequest } from '../../forge/oauth/authorization-request.ts'
import { isProven, proveShown } from '../../forge/oauth/consent.ts'
import type { OAuth } from '../../forge/oauth/oauth-services.ts'
import { withAnswer } from '../../forge/oauth/redirect.ts'
import { Failure } from '../../lib/failure.ts'
import { formOf, type PageServer, show } from '../plain-pages/page-server.ts'
import { continuationPage, signInPage } from '../plain-pages/plain-page.ts'
import { consentPage } from './authorization-pages.ts'

const path = '/login/oauth/authorize'
const sessionPath = '/login/oauth/session'

export const queryOf = ({ url }: FastifyRequest): string => {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

/**
 * Whether another site caused the request. The browser then withholds the session cookie, which it sends from this
 * server's own pages.
 */
export const isFromElsewhere = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site'

export function serveAuthorizing(server: FastifyInstance, oauth: OAuth, pages: PageServer): void {
  async function read(query: URLSearchParams) {
    const ids = query.getAll('client_id')
    const app = ids.length === 1 ? await oauth.findClient(ids[0]!) : undefined
    if (!app) throw new Failure('not-found', 'client-unknown', 'There is no app with this client_id.')
    return readAuthorizationRequest(app, query)
  }

  /** Without scopes in the request, those that the user has already allowed apply. */
  async function settle(actor: SignedIn, request: AuthorizationRequest) {
    await oauth.demandAuthorizable(actor, request.app)
    const grant = await oauth.grants.find(request.app, actor.account.id)
    const scopes = request.scopes ?? grant?.scopes ?? []
    // Another program can pose as an app without a secret (RFC 9700, section 2.1), so its user is asked each time.
    const isKnown = request.app.isConfidential && oauth.grants.isCovered(request.app, grant, scopes)
    return { scopes, isAsked: request.isAskedAnew || !isKnown }
  }

  const shownOf = ({ redirectUri, state, challenge }: AuthorizationRequest, scopes: readonly string[]) => [
    ...['authorize', redirectUri, state ?? null, challenge ?? null, scopes],
  ]

  function ask(
    reply: FastifyReply,
    actor: SignedIn,
    request: AuthorizationRequest,
    scopes: readonly string[],
    query: string,
    message = '',
  ): FastifyReply {
    const { app, redirectUri } = request
    const proof = proveShown(actor, app, shownOf(request, scopes))
    const fields = { scopes: scopes.join(' '), proof }
    const consent = { app, scopes, login: actor.account.name, action: path + query, fields }
    return show(reply, consentPage(consent, redirectUri, message), message ? 409 : 200)
  }

  server.get(path, async (request, reply) => {
    const query = queryOf(request)
    const asked = await read(new URLSearchParams(query))
    if ('location' in asked) return reply.redirect(asked.location, 302)
    if (isFromElsewhere(request)) return show(reply, continuationPage(path + query))
    const actor = await pages.findSession(request)
    if (!actor) return show(reply, signInPage(sessionPath + query))
    const { scopes, isAsked } = await settle(actor, asked)
    if (isAsked) return ask(reply, actor, asked, scopes, query)
    return reply.redirect(await oauth.codes.allow(actor, asked, scopes), 302)
  })

  // Some browsers apply the form's policy to redirects and would stop at the app, so a page continues instead.
  server.post(sessionPath, (request, reply) =>
    pages.signIn(request, reply, sessionPath + queryOf(request), () =>
      show(reply, continuationPage(path + queryOf(request))),
    ),
  )

  server.post(path, async (request, reply) => {
    pages.demandOwnPage(request)
    const query = queryOf(request)
    const asked = await read(new URLSearchParams(query))
    if ('location' in asked) return reply.redirect(asked.location, 302)
    const actor = await pages.findSession(request)
    if (!actor) return show(reply, signInPage(sessionPath + query), 401)
    await oauth.demandAuthorizable(actor, asked.app)
    const form = formOf(request)
    const scopes = (form.get('scopes') ?? '').split(' ').filter(Boolean)
    if (!isProven(actor, asked.app, shownOf(asked, scopes), form.get('proof') ?? '')) {
      const now = await settle(actor, asked)
      return ask(reply, actor, asked, now.scopes, query, 'This page was out of date: please check it again.')
    }
    const { redirectUri, state } = asked
    const isAllowed = form.get('decision') === 'allow'
    const refusal = { error: 'access_denied', error_description: 'The user has denied your application access.', state }
    const location = isAllowed ? await oauth.codes.allow(actor, asked, scopes) : withAnswer(redirectUri, refusal)
    return show(reply, continuationPage(location, 'Going back to the app'))
  })
}
