/** Routes that register apps and manage their settings, keys and client secrets. */

import type { Installations } from '../../../forge/apps/installations/installations.ts'
import type { AppKeys } from '../../../forge/apps/registration/app-keys.ts'
import type { AppRegistration, NewApp } from '../../../forge/apps/registration/app-registration.ts'
import type { Manifests } from '../../../forge/apps/registration/manifests.ts'
import type { OAuth } from '../../../forge/oauth/oauth-services.ts'
import type { Webhooks } from '../../../forge/webhooks/webhook-services.ts'
import { anyone, organisation, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, ok, type RestAnswer } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import type { View } from '../view.ts'
import { AppBody, AppChangeBody, ManifestBody, readSettings } from './app-body.ts'
import { handedApp, ownedApp } from './app-doors.ts'
import { InstallBody, readChoice } from './installation-body.ts'
import { presentApp, presentInstallation, presentKey, presentOwnApp, presentSecret } from './present-app.ts'

const resource = 'App'
/** Apps can't create apps: only people can, by a session or a classic token. */
const oneself = { door: signedIn, tokens: ['classic'], scopes: ['user'], resource } as const
const ofOrganisation = { door: organisation('owner'), tokens: ['classic'], resource } as const

/** Includes its first key and secret, which are shown only once. */
async function furnish(
  { appKeys, webhooks }: { appKeys: AppKeys; webhooks: Webhooks },
  made: NewApp,
  hookSecret: string | null,
  view: View,
): Promise<RestAnswer> {
  await webhooks.keepBase(made.app, view.base)
  const key = await appKeys.makeKey(made)
  const secret = await appKeys.makeSecret(made)
  const shown = presentOwnApp(made.app, view)
  return created(
    { ...shown, client_secret: secret.text, webhook_secret: hookSecret, pem: key.pem },
    `${view.base}/apps/${made.app.slug}`,
  )
}

const redirectTo = (redirectUrl: string | undefined, code: string): string | null => {
  if (redirectUrl === undefined || !URL.canParse(redirectUrl)) return null
  const url = new URL(redirectUrl)
  url.searchParams.set('code', code)
  return url.href
}

type Needs = {
  appKeys: AppKeys
  appManifests: Manifests
  apps: AppRegistration
  installations: Installations
  oauth: OAuth
  webhooks: Webhooks
}

export const appRegistrationRoutes = ({
  appKeys,
  appManifests,
  apps,
  installations,
  oauth,
  webhooks,
}: Needs): readonly Route[] => [
  route('POST /user/apps', {
    ...oneself,
    id: 'register-an-app',
    summary: 'Registers an app of your own, with a first key and client secret, which are shown only once.',
    body: AppBody,
    async handle({ target, body, view }) {
      const { name, url } = body
      const made = await apps.register(target, { ...readSettings(body), kind: 'app', name, url })
      return furnish({ appKeys, webhooks }, made, body.hook_attributes?.secret ?? null, view)
    },
  }),
  route('GET /user/apps', {
    ...oneself,
    id: 'list-own-apps',
    summary: 'Lists your own apps.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(apps.list(target, 'app', page), presentOwnApp, view),
  }),
  route('POST /orgs/:org/apps', {
    ...ofOrganisation,
    id: 'register-an-app-of-an-organization',
    summary: 'Registers an app of an organisation, with a first key and client secret, shown only once.',
    body: AppBody,
    async handle({ target, body, view }) {
      const { name, url } = body
      const made = await apps.register(target, { ...readSettings(body), kind: 'app', name, url })
      return furnish({ appKeys, webhooks }, made, body.hook_attributes?.secret ?? null, view)
    },
  }),
  route('GET /orgs/:org/apps', {
    ...ofOrganisation,
    id: 'list-apps-of-an-organization',
    summary: 'An organisation’s own apps.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(apps.list(target, 'app', page), presentOwnApp, view),
  }),
  route('POST /user/app-manifests', {
    ...oneself,
    id: 'put-down-a-manifest',
    summary: 'Stores the manifest of a new app; its code, valid for an hour, is exchanged for the app.',
    body: ManifestBody,
    async handle({ target, body }) {
      const { name, url } = body
      const code = await appManifests.put(target, { ...readSettings(body), kind: 'app', name, url })
      return created({ code, redirect_url: redirectTo(body.redirect_url, code) })
    },
  }),
  route('POST /app-manifests/:code/conversions', {
    door: anyone,
    id: 'create-an-app-from-a-manifest',
    summary: 'Creates an app from a manifest, given its code; the key and secrets are shown only once.',
    resource,
    async handle({ actor, params, view }) {
      return furnish({ appKeys, webhooks }, await appManifests.convert(actor, params.code), null, view)
    },
  }),
  route('GET /apps/:app_slug', {
    door: anyone,
    id: 'get-an-app',
    summary: 'Shows a public app, or one of your own.',
    resource,
    async handle({ actor, params, view }) {
      return ok(presentApp(await apps.get(actor, params.app_slug), view))
    },
  }),
  route('PATCH /apps/:app_slug', {
    door: handedApp,
    id: 'update-an-app',
    summary: 'Changes an app. Removed permissions end immediately; new ones must be accepted by each installation.',
    resource,
    body: AppChangeBody,
    async handle({ target, body, view }) {
      return ok(presentOwnApp(await apps.change(target, readSettings(body)), view))
    },
  }),
  route('DELETE /apps/:app_slug', {
    door: ownedApp,
    id: 'delete-an-app',
    summary: 'Deletes an app, its installations and all their tokens.',
    handle: ({ target }) => done(apps.remove(target)),
  }),
  route('DELETE /apps/:app_slug/grants', {
    door: ownedApp,
    id: 'revoke-all-grants-of-an-app',
    summary: 'Revokes the authorisations of all users: every user token of the app ends.',
    handle: ({ target }) => done(oauth.grants.revokeAll(target)),
  }),
  route('GET /apps/:app_slug/keys', {
    door: ownedApp,
    id: 'list-keys-of-an-app',
    summary: 'Lists the keys of an app by their fingerprints.',
    async handle({ target }) {
      return ok((await appKeys.listKeys(target)).map(presentKey))
    },
  }),
  route('POST /apps/:app_slug/keys', {
    door: handedApp,
    id: 'create-a-key-of-an-app',
    summary:
      'Creates an RSA key; the private half is shown only once. A token needs the scopes for everything the app asks for.',
    points: 50,
    async handle({ target }) {
      const key = await appKeys.makeKey(target)
      return created({ ...presentKey(key), pem: key.pem })
    },
  }),
  route('DELETE /apps/:app_slug/keys/:key_id', {
    door: ownedApp,
    id: 'delete-a-key-of-an-app',
    summary: 'Deletes a key: what it signs is refused from now on.',
    handle: ({ target, params }) => done(appKeys.removeKey(target, readId(params.key_id))),
  }),
  route('GET /apps/:app_slug/secrets', {
    door: ownedApp,
    id: 'list-client-secrets-of-an-app',
    summary: 'Lists the client secrets of an app by their last characters.',
    async handle({ target }) {
      return ok((await appKeys.listSecrets(target)).map(presentSecret))
    },
  }),
  route('POST /apps/:app_slug/secrets', {
    door: handedApp,
    id: 'create-a-client-secret-of-an-app',
    summary: 'Creates a client secret, which is shown only once.',
    async handle({ target }) {
      const secret = await appKeys.makeSecret(target)
      return created({ ...presentSecret(secret), client_secret: secret.text })
    },
  }),
  route('DELETE /apps/:app_slug/secrets/:secret_id', {
    door: ownedApp,
    id: 'delete-a-client-secret-of-an-app',
    summary: 'Deletes a client secret.',
    handle: ({ target, params }) => done(appKeys.removeSecret(target, readId(params.secret_id))),
  }),
  route('POST /apps/:app_slug/installations', {
    ...oneself,
    scopes: ['user', 'admin:org'],
    id: 'install-an-app',
    summary:
      'Installs an app on your own account or organisation: on all repositories, or on those that `repositories` or `repository_ids` names. A token also needs the scopes of what the app is given (`repo` for any permission on repositories).',
    resource: 'Installation',
    body: InstallBody,
    async handle({ actor, params, body, view }) {
      const choice = readChoice(body) ?? 'all'
      const { account, permissions } = body
      const made = await installations.install(actor, params.app_slug, account, choice, permissions)
      return created(presentInstallation(made, view))
    },
  }),
]
