/** `/settings/applications`: lists the apps that a user authorised, and revokes them. */
import type { FastifyInstance } from 'fastify'
import { SelfAccess } from '../../forge/access/self-access.ts'
import { isProven, proveShown } from '../../forge/oauth/consent.ts'
import type { OAuth } from '../../forge/oauth/oauth-services.ts'
import { formOf, type PageServer, show } from '../plain-pages/page-server.ts'
import { continuationPage, signInPage } from '../plain-pages/plain-page.ts'
import { grantsPage } from './authorization-pages.ts'
import { isFromElsewhere } from './authorizing.ts'

const path = '/settings/applications'
const sessionPath = '/settings/applications/session'
const mostShown = 1_000

/** A session may do everything with the user's own data. */
const bySession = { tokens: [], scopes: [], permissions: [] } as const

export function serveRevoking(server: FastifyInstance, oauth: OAuth, pages: PageServer): void {
  const shownOf = (id: number) => ['revoke', id]

  server.get(path, async (request, reply) => {
    if (isFromElsewhere(request)) return show(reply, continuationPage(path))
    const actor = await pages.findSession(request)
    if (!actor) return show(reply, signInPage(sessionPath))
    const { items } = await oauth.grants.list(SelfAccess.demand(actor, bySession), { offset: 0, limit: mostShown })
    const grants = items.map((grant) => ({ ...grant, proof: proveShown(actor, grant.app, shownOf(grant.id)) }))
    return show(reply, grantsPage(grants, actor.account.name, path))
  })

  server.post(sessionPath, (request, reply) =>
    pages.signIn(request, reply, sessionPath, () => reply.redirect(path, 303)),
  )

  server.post(path, async (request, reply) => {
    pages.demandOwnPage(request)
    const actor = await pages.findSession(request)
    if (!actor) return show(reply, signInPage(sessionPath), 401)
    const form = formOf(request)
    const self = SelfAccess.demand(actor, bySession)
    const id = form.get('grant') ?? ''
    const grant = await oauth.grants.get(self, /^\d{1,15}$/.test(id) ? Number(id) : 0)
    // Revoking is allowed even if the app has been renamed since; but only this page's form may request it.
    if (isProven(actor, grant.app, shownOf(grant.id), form.get('proof') ?? ''))
      await oauth.grants.revoke(self, grant.id)
    return reply.redirect(path, 303)
  })
}
