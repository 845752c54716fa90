/** Presents apps and installations. */
import type { App } from '../../../forge/apps/app.ts'
import type { Installation } from '../../../forge/apps/installations/installation.ts'
import type { AppKey, ClientSecret } from '../../../forge/apps/registration/app-keys.ts'
import { presentUser } from '../people/present-people.ts'
import { formatTime, nodeId, type View } from '../view.ts'

export function presentApp(app: App, view: View) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    client_id: app.clientId,
    owner: presentUser(app.owner, view),
    name: app.name,
    description: app.description,
    external_url: app.url,
    html_url: `${view.origin}/apps/${app.slug}`,
    created_at: formatTime(app.createdAt),
    updated_at: formatTime(app.updatedAt),
    permissions: app.permissions,
    events: app.events,
  }
}

/** As its owners see it, but without its secrets. */
export const presentOwnApp = (app: App, view: View) => ({
  ...presentApp(app, view),
  callback_urls: app.callbackUrls,
  public: app.isPublic,
  hook_attributes: { url: app.hookUrl, active: app.isHookActive },
  device_flow: app.takesDeviceFlow,
})

/** An OAuth app as its owners see it. */
export const presentOAuthApp = (app: App, view: View) => ({
  id: app.id,
  node_id: nodeId('OAuthApp', app.id),
  client_id: app.clientId,
  owner: presentUser(app.owner, view),
  name: app.name,
  description: app.description,
  url: app.url,
  callback_urls: app.callbackUrls,
  confidential: app.isConfidential,
  device_flow: app.takesDeviceFlow,
  created_at: formatTime(app.createdAt),
  updated_at: formatTime(app.updatedAt),
})

export const presentKey = ({ id, fingerprint, createdAt }: AppKey) => ({
  id,
  fingerprint,
  created_at: formatTime(createdAt),
})

export const presentSecret = ({ id, hint, createdAt }: ClientSecret) => ({
  id,
  last_eight: hint,
  created_at: formatTime(createdAt),
})

export function presentInstallation(installation: Installation, view: View) {
  const { id, app, account, suspendedAt, suspendedBy } = installation
  const isOrganisation = account.kind === 'organisation'
  return {
    id,
    client_id: app.clientId,
    account: presentUser(account, view),
    repository_selection: installation.selection,
    access_tokens_url: `${view.base}/app/installations/${id}/access_tokens`,
    repositories_url: `${view.base}/installation/repositories`,
    html_url: isOrganisation ? `${view.origin}/orgs/${account.login}?tab=apps` : `${view.origin}/-/account/apps`,
    app_id: app.id,
    target_id: account.id,
    target_type: isOrganisation ? 'Organization' : 'User',
    permissions: installation.permissions,
    events: installation.events,
    created_at: formatTime(installation.createdAt),
    updated_at: formatTime(installation.updatedAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    app_slug: app.slug,
    suspended_at: suspendedAt && formatTime(suspendedAt),
    suspended_by: suspendedBy && presentUser(suspendedBy, view),
  }
}
