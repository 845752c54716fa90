/** Registering OAuth apps, what their owners do with them, and which of them an organisation approves of. */
import type { Static } from 'typebox'
import type { AppHolder } from '../../../forge/apps/registration.ts'
import type { Forge } from '../../../forge/forge.ts'
import { type Answer, created, ok } from '../answer.ts'
import { organisation, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { type Route, route, usualPage } from '../route.ts'
import type { View } from '../view.ts'
import { OAuthAppBody, OAuthAppChangeBody, readSettings } from './app-body.ts'
import { handedOAuthApp, ownedOAuthApp } from './app-doors.ts'
import { presentOAuthApp, presentSecret } from './present-app.ts'

const resource = 'OAuthApp'
const oneself = { door: signedIn, tokens: ['classic'], scopes: ['user'], resource } as const
const ofOrganisation = { door: organisation('owner'), tokens: ['classic'], resource } as const
const owned = { door: ownedOAuthApp, resource } as const

/** With its first secret, which is shown this once; one that can't keep a secret has none. */
async function register(
  forge: Forge,
  holder: AppHolder,
  body: Static<typeof OAuthAppBody>,
  view: View,
): Promise<Answer> {
  const { name, url, confidential: isConfidential = true } = body
  const made = await forge.apps.register(holder, { ...readSettings(body), kind: 'oauth', name, url, isConfidential })
  const secret = isConfidential ? await forge.appKeys.makeSecret(made) : undefined
  const { clientId } = made.app
  return created(
    { ...presentOAuthApp(made.app, view), ...(secret && { client_secret: secret.text }) },
    `${view.base}/oauth-apps/${clientId}`,
  )
}

export const oauthAppRoutes: readonly Route[] = [
  route('POST /user/oauth-apps', {
    ...oneself,
    id: 'register-an-oauth-app',
    summary:
      'Registers an OAuth app of one’s own, with a first client secret, shown this once. One with `confidential: false` has none and must use PKCE.',
    body: OAuthAppBody,
    handle: ({ forge, target, body, view }) => register(forge, target, body, view),
  }),
  route('GET /user/oauth-apps', {
    ...oneself,
    id: 'list-own-oauth-apps',
    summary: 'One’s own OAuth apps.',
    pageSize: usualPage,
    handle: ({ forge, target, page, view }) => pageOf(forge.apps.list(target, 'oauth', page), presentOAuthApp, view),
  }),
  route('POST /orgs/:org/oauth-apps', {
    ...ofOrganisation,
    id: 'register-an-oauth-app-of-an-organization',
    summary: 'Registers an OAuth app of an organisation, with a first client secret, shown this once.',
    body: OAuthAppBody,
    handle: ({ forge, target, body, view }) => register(forge, target, body, view),
  }),
  route('GET /orgs/:org/oauth-apps', {
    ...ofOrganisation,
    id: 'list-oauth-apps-of-an-organization',
    summary: 'An organisation’s own OAuth apps.',
    pageSize: usualPage,
    handle: ({ forge, target, page, view }) => pageOf(forge.apps.list(target, 'oauth', page), presentOAuthApp, view),
  }),
  route('GET /oauth-apps/:client_id', {
    ...owned,
    id: 'get-an-oauth-app',
    summary: 'An OAuth app, for its owners.',
    handle: ({ target, view }) => ok(presentOAuthApp(target.app, view)),
  }),
  route('PATCH /oauth-apps/:client_id', {
    ...owned,
    door: handedOAuthApp,
    id: 'update-an-oauth-app',
    summary: 'Changes an OAuth app: its name, its addresses, whether it takes the device flow.',
    body: OAuthAppChangeBody,
    async handle({ forge, target, body, view }) {
      return ok(presentOAuthApp(await forge.apps.change(target, readSettings(body)), view))
    },
  }),
  route('DELETE /oauth-apps/:client_id', {
    ...owned,
    id: 'delete-an-oauth-app',
    summary: 'Deletes an OAuth app and every token that it was given.',
    handle: ({ forge, target }) => done(forge.apps.remove(target)),
  }),
  route('DELETE /oauth-apps/:client_id/grants', {
    ...owned,
    id: 'revoke-all-grants-of-an-oauth-app',
    summary: 'Takes back what all users have allowed an OAuth app: every token of it ends.',
    handle: ({ forge, target }) => done(forge.oauth.grants.revokeAll(target)),
  }),
  route('GET /oauth-apps/:client_id/secrets', {
    ...owned,
    id: 'list-client-secrets-of-an-oauth-app',
    summary: 'The client secrets of an OAuth app by their last characters.',
    async handle({ forge, target }) {
      return ok((await forge.appKeys.listSecrets(target)).map(presentSecret))
    },
  }),
  route('POST /oauth-apps/:client_id/secrets', {
    ...owned,
    door: handedOAuthApp,
    id: 'create-a-client-secret-of-an-oauth-app',
    summary: 'Makes a client secret, shown this once. The others count until they are deleted.',
    async handle({ forge, target }) {
      const secret = await forge.appKeys.makeSecret(target)
      return created({ ...presentSecret(secret), client_secret: secret.text })
    },
  }),
  route('DELETE /oauth-apps/:client_id/secrets/:secret_id', {
    ...owned,
    id: 'delete-a-client-secret-of-an-oauth-app',
    summary: 'Deletes a client secret.',
    handle: ({ forge, target, params }) => done(forge.appKeys.removeSecret(target, readId(params.secret_id))),
  }),
  route('GET /orgs/:org/approved-oauth-apps', {
    ...ofOrganisation,
    id: 'list-approved-oauth-apps',
    summary: 'The OAuth apps that an organisation approves of.',
    pageSize: usualPage,
    handle: ({ forge, target, page, view }) => pageOf(forge.appApprovals.list(target, page), presentOAuthApp, view),
  }),
  route('PUT /orgs/:org/approved-oauth-apps/:client_id', {
    ...ofOrganisation,
    id: 'approve-an-oauth-app',
    summary: 'Approves of an OAuth app: for members of an enterprise-plan organisation it has the higher limit.',
    handle: ({ forge, target, params }) => done(forge.appApprovals.approve(target, params.client_id)),
  }),
  route('DELETE /orgs/:org/approved-oauth-apps/:client_id', {
    ...ofOrganisation,
    id: 'withdraw-the-approval-of-an-oauth-app',
    summary: 'Approves of an OAuth app no longer.',
    handle: ({ forge, target, params }) => done(forge.appApprovals.withdraw(target, params.client_id)),
  }),
]
