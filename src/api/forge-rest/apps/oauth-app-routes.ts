/** Routes that register and manage OAuth apps, and by which organisations approve them. */
import type { Static } from 'typebox'
import type { AppKeys } from '../../../forge/apps/registration/app-keys.ts'
import type { AppHolder, AppRegistration } from '../../../forge/apps/registration/app-registration.ts'
import type { AppApprovals } from '../../../forge/apps/registration/approvals.ts'
import type { OAuth } from '../../../forge/oauth/oauth-services.ts'
import { organisation, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, ok, type RestAnswer } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import type { View } from '../view.ts'
import { OAuthAppBody, OAuthAppChangeBody, readSettings } from './app-body.ts'
import { handedOAuthApp, ownedOAuthApp } from './app-doors.ts'
import { presentOAuthApp, presentSecret } from './present-app.ts'

const resource = 'OAuthApp'
const oneself = { door: signedIn, tokens: ['classic'], scopes: ['user'], resource } as const
const ofOrganisation = { door: organisation('owner'), tokens: ['classic'], resource } as const
const owned = { door: ownedOAuthApp, resource } as const

/** Includes its first secret, which is shown only once; an app that can't keep a secret has none. */
async function register(
  { appKeys, apps }: { appKeys: AppKeys; apps: AppRegistration },
  holder: AppHolder,
  body: Static<typeof OAuthAppBody>,
  view: View,
): Promise<RestAnswer> {
  const { name, url, confidential: isConfidential = true, client_id: chosen } = body
  const draft = { ...readSettings(body), kind: 'oauth' as const, name, url, isConfidential, clientId: chosen }
  const made = await apps.register(holder, draft)
  const secret = isConfidential ? await appKeys.makeSecret(made) : undefined
  const { clientId } = made.app
  return created(
    { ...presentOAuthApp(made.app, view), ...(secret && { client_secret: secret.text }) },
    `${view.base}/oauth-apps/${clientId}`,
  )
}

type Needs = {
  appApprovals: AppApprovals
  appKeys: AppKeys
  apps: AppRegistration
  oauth: OAuth
}

export const oauthAppRoutes = ({ appApprovals, appKeys, apps, oauth }: Needs): readonly Route[] => [
  route('POST /user/oauth-apps', {
    ...oneself,
    id: 'register-an-oauth-app',
    summary:
      'Registers an OAuth app of your own, with a first client secret, which is shown only once. An app with `confidential: false` has no secret and must use PKCE.',
    body: OAuthAppBody,
    handle: ({ target, body, view }) => register({ appKeys, apps }, target, body, view),
  }),
  route('GET /user/oauth-apps', {
    ...oneself,
    id: 'list-own-oauth-apps',
    summary: 'One’s own OAuth apps.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(apps.list(target, 'oauth', page), presentOAuthApp, view),
  }),
  route('POST /orgs/:org/oauth-apps', {
    ...ofOrganisation,
    id: 'register-an-oauth-app-of-an-organization',
    summary: 'Registers an OAuth app of an organisation, with a first client secret, shown only once.',
    body: OAuthAppBody,
    handle: ({ target, body, view }) => register({ appKeys, apps }, target, body, view),
  }),
  route('GET /orgs/:org/oauth-apps', {
    ...ofOrganisation,
    id: 'list-oauth-apps-of-an-organization',
    summary: 'An organisation’s own OAuth apps.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(apps.list(target, 'oauth', page), presentOAuthApp, view),
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
    async handle({ target, body, view }) {
      return ok(presentOAuthApp(await apps.change(target, readSettings(body)), view))
    },
  }),
  route('DELETE /oauth-apps/:client_id', {
    ...owned,
    id: 'delete-an-oauth-app',
    summary: 'Deletes an OAuth app and every token that it was given.',
    handle: ({ target }) => done(apps.remove(target)),
  }),
  route('DELETE /oauth-apps/:client_id/grants', {
    ...owned,
    id: 'revoke-all-grants-of-an-oauth-app',
    summary: 'Revokes the authorisations of all users of an OAuth app: all its tokens end.',
    handle: ({ target }) => done(oauth.grants.revokeAll(target)),
  }),
  route('GET /oauth-apps/:client_id/secrets', {
    ...owned,
    id: 'list-client-secrets-of-an-oauth-app',
    summary: 'Lists the client secrets of an OAuth app by their last characters.',
    async handle({ target }) {
      return ok((await appKeys.listSecrets(target)).map(presentSecret))
    },
  }),
  route('POST /oauth-apps/:client_id/secrets', {
    ...owned,
    door: handedOAuthApp,
    id: 'create-a-client-secret-of-an-oauth-app',
    summary: 'Creates a client secret, which is shown only once. The others stay valid until they are deleted.',
    async handle({ target }) {
      const secret = await appKeys.makeSecret(target)
      return created({ ...presentSecret(secret), client_secret: secret.text })
    },
  }),
  route('DELETE /oauth-apps/:client_id/secrets/:secret_id', {
    ...owned,
    id: 'delete-a-client-secret-of-an-oauth-app',
    summary: 'Deletes a client secret.',
    handle: ({ target, params }) => done(appKeys.removeSecret(target, readId(params.secret_id))),
  }),
  route('GET /orgs/:org/approved-oauth-apps', {
    ...ofOrganisation,
    id: 'list-approved-oauth-apps',
    summary: 'Lists the OAuth apps that an organisation has approved.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(appApprovals.list(target, page), presentOAuthApp, view),
  }),
  route('PUT /orgs/:org/approved-oauth-apps/:client_id', {
    ...ofOrganisation,
    id: 'approve-an-oauth-app',
    summary: 'Approves an OAuth app: for members of an enterprise-plan organisation it has the higher limit.',
    handle: ({ target, params }) => done(appApprovals.approve(target, params.client_id)),
  }),
  route('DELETE /orgs/:org/approved-oauth-apps/:client_id', {
    ...ofOrganisation,
    id: 'withdraw-the-approval-of-an-oauth-app',
    summary: 'Withdraws the approval of an OAuth app.',
    handle: ({ target, params }) => done(appApprovals.withdraw(target, params.client_id)),
  }),
]
