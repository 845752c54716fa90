/** Installations: as seen by the app, managed by the account's owners, found by a user; and their tokens. */
import type { InstallationTokens } from '../../../forge/apps/installations/installation-tokens.ts'
import type { Installations } from '../../../forge/apps/installations/installations.ts'
import type { AppRegistration } from '../../../forge/apps/registration/app-registration.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { organisation, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { formatTime } from '../view.ts'
import { appItself, installationItself, ownedInstallation } from './app-doors.ts'
import { InstallationChangeBody, readChoice, TokenBody } from './installation-body.ts'
import { presentApp, presentInstallation } from './present-app.ts'

const resource = 'Installation'
const byApp = { door: appItself, resource } as const
const byOwner = { door: ownedInstallation, resource } as const

type Needs = {
  apps: AppRegistration
  installationTokens: InstallationTokens
  installations: Installations
}

export const installationRoutes = ({ apps, installationTokens, installations }: Needs): readonly Route[] => [
  route('GET /app', {
    ...byApp,
    id: 'get-the-authenticated-app',
    summary: 'The app itself, by a JSON web token that it signed.',
    async handle({ target, view }) {
      const app = await apps.read(target.id)
      return ok({ ...presentApp(app, view), installations_count: await installations.count(target.id) })
    },
  }),
  route('GET /app/installations', {
    ...byApp,
    id: 'list-installations-for-the-authenticated-app',
    summary: 'Lists the installations of the app.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(installations.list(target, page), presentInstallation, view),
  }),
  route('GET /app/installations/:installation_id', {
    ...byApp,
    id: 'get-an-installation-for-the-authenticated-app',
    summary: 'One installation of the app.',
    async handle({ target, params, view }) {
      return ok(presentInstallation(await installations.get(target, readId(params.installation_id)), view))
    },
  }),
  route('DELETE /app/installations/:installation_id', {
    ...byApp,
    id: 'delete-an-installation-for-the-authenticated-app',
    summary: 'The app leaves an account: every token of the installation ends.',
    handle: ({ target, params }) => done(installations.remove(target, readId(params.installation_id))),
  }),
  route('PUT /app/installations/:installation_id/suspended', {
    ...byApp,
    id: 'suspend-an-app-installation',
    summary: 'Suspends an installation: its tokens are refused until that ends.',
    handle: ({ target, params }) => done(installations.suspend(target, readId(params.installation_id), true)),
  }),
  route('DELETE /app/installations/:installation_id/suspended', {
    ...byApp,
    id: 'unsuspend-an-app-installation',
    summary: 'Ends a suspension, unless it is the owner’s own.',
    handle: ({ target, params }) => done(installations.suspend(target, readId(params.installation_id), false)),
  }),
  route('POST /app/installations/:installation_id/access_tokens', {
    ...byApp,
    id: 'create-an-installation-access-token-for-an-app',
    summary: 'A token of the installation for an hour, for fewer repositories and permissions where that is asked.',
    body: TokenBody,
    async handle({ target, params, body, view }) {
      const { repositories: names, repository_ids: ids, permissions } = body
      const request = omitUndefined({ names, ids, permissions })
      const minted = await installationTokens.mint(target, readId(params.installation_id), request)
      return created({
        token: minted.text,
        expires_at: formatTime(minted.expiresAt),
        permissions: minted.permissions,
        repository_selection: minted.selection,
        ...(minted.repositories && {
          repositories: minted.repositories.map((one) => presentListedRepository(one, view)),
        }),
      })
    },
  }),
  route('GET /orgs/:org/installation', {
    ...byApp,
    id: 'get-an-organization-installation-for-the-authenticated-app',
    summary: 'The app’s installation on an organisation.',
    async handle({ target, params, view }) {
      return ok(presentInstallation(await installations.findOn(target, params.org, 'organisation'), view))
    },
  }),
  route('GET /users/:username/installation', {
    ...byApp,
    id: 'get-a-user-installation-for-the-authenticated-app',
    summary: 'The app’s installation on a user.',
    async handle({ target, params, view }) {
      return ok(presentInstallation(await installations.findOn(target, params.username), view))
    },
  }),
  route('GET /repos/:owner/:repo/installation', {
    ...byApp,
    id: 'get-a-repository-installation-for-the-authenticated-app',
    summary: 'The app’s installation that reaches a repository.',
    async handle({ target, params, view }) {
      const { owner = '', repo = '' } = params as { owner?: string; repo?: string }
      return ok(presentInstallation(await installations.findForRepository(target, owner, repo), view))
    },
  }),
  route('GET /installation/repositories', {
    door: installationItself,
    id: 'list-repositories-accessible-to-the-app-installation',
    summary: 'Lists the repositories that the installation’s token can access.',
    pageSize: usualPage,
    async handle({ target, page, view }) {
      const { total, items, selection } = await installationTokens.listReached(target, page)
      const repositories = items.map((one) => presentListedRepository(one, view))
      return { ...ok({ total_count: total, repository_selection: selection, repositories }), total }
    },
  }),
  route('DELETE /installation/token', {
    door: installationItself,
    id: 'revoke-an-installation-access-token',
    summary: 'Ends the token that sends this request.',
    handle: ({ target }) => done(installationTokens.revoke(target)),
  }),
  route('GET /orgs/:org/installations', {
    door: organisation('owner'),
    tokens: ['classic', 'fine-grained'],
    permission: 'organization_administration=read',
    id: 'list-app-installations-for-an-organization',
    summary: 'The apps that are installed on an organisation, for its owners.',
    resource,
    pageSize: usualPage,
    async handle({ target, page, view }) {
      const { total, items } = await installations.listOn(target.organisation, page)
      const shown = items.map((one) => presentInstallation(one, view))
      return { ...ok({ total_count: total, installations: shown }), total }
    },
  }),
  route('GET /user/installations', {
    door: signedIn,
    tokens: ['classic', 'app-user'],
    id: 'list-app-installations-accessible-to-the-user-access-token',
    summary:
      'By an app user token: where that app is installed for its user. By one’s own: what is installed on what one owns.',
    resource,
    pageSize: usualPage,
    async handle({ target, page, view }) {
      const { total, items } = await installations.listFor(target.actor, page)
      const shown = items.map((one) => presentInstallation(one, view))
      return { ...ok({ total_count: total, installations: shown }), total }
    },
  }),
  route('GET /user/installations/:installation_id/repositories', {
    door: signedIn,
    tokens: ['classic', 'app-user'],
    id: 'list-repositories-accessible-to-the-user-access-token',
    summary: 'Lists the repositories of an installation that the user can see.',
    resource,
    pageSize: usualPage,
    async handle({ target, params, page, view }) {
      const installation = await installations.see(target.actor, readId(params.installation_id))
      const { total, items } = await installationTokens.listFor(target.actor, installation, page)
      const repositories = items.map((one) => presentListedRepository(one, view))
      return { ...ok({ total_count: total, repository_selection: installation.selection, repositories }), total }
    },
  }),
  route('PATCH /user/installations/:installation_id', {
    ...byOwner,
    id: 'update-an-installation',
    summary:
      'Changes its repositories (`repositories`: names or `all`; or `repository_ids`), or accepts new permissions: `accept_permissions` repeats the permissions that were shown.',
    body: InstallationChangeBody,
    async handle({ target, body, view }) {
      const choice = readChoice(body)
      let changed = target.installation
      if (choice) changed = await installations.setRepositories(target, choice)
      if (body.accept_permissions) changed = await installations.accept(target, body.accept_permissions)
      return ok(presentInstallation(changed, view))
    },
  }),
  route('DELETE /user/installations/:installation_id', {
    ...byOwner,
    id: 'uninstall-an-app',
    summary: 'Removes an app from your own account or organisation: every token of the installation ends.',
    handle: ({ target }) => done(installations.removeOwn(target)),
  }),
  route('PUT /user/installations/:installation_id/suspended', {
    ...byOwner,
    id: 'suspend-an-installation-as-its-owner',
    summary: 'Suspends an app on your own account or organisation; the app itself can’t end the suspension.',
    handle: ({ target }) => done(installations.suspendOwn(target, true)),
  }),
  route('DELETE /user/installations/:installation_id/suspended', {
    ...byOwner,
    id: 'unsuspend-an-installation-as-its-owner',
    summary: 'Ends a suspension.',
    handle: ({ target }) => done(installations.suspendOwn(target, false)),
  }),
  route('PUT /user/installations/:installation_id/repositories/:repository_id', {
    ...byOwner,
    id: 'add-a-repository-to-an-app-installation',
    summary: 'Adds a repository to an installation with selected repositories.',
    handle: ({ target, params }) => done(installations.addRepository(target, readId(params.repository_id))),
  }),
  route('DELETE /user/installations/:installation_id/repositories/:repository_id', {
    ...byOwner,
    id: 'remove-a-repository-from-an-app-installation',
    summary: 'Removes a repository from an installation with selected repositories.',
    handle: ({ target, params }) => done(installations.removeRepository(target, readId(params.repository_id))),
  }),
]
