/** The tables of apps, OAuth apps, grants and workflow runs. */
import type { Generated } from 'kysely'

export type AppTable = {
  id: Generated<number>
  /** `app`: is installed and acts as itself. `oauth`: acts only for its users. */
  kind: 'app' | 'oauth'
  slug: string
  owner_id: number
  /** The account that stands for the app as an author (`slug[bot]`); an OAuth app has none. */
  bot_id: number | null
  client_id: string
  name: string
  description: string
  url: string
  /** JSON array: the first is the default. */
  callback_urls: string
  /** JSON object: permission name to access level. */
  permissions: string
  /** JSON array. */
  events: string
  hook_url: string | null
  /** Stored in clear, because it signs deliveries. */
  hook_secret: string | null
  is_hook_active: number
  /** Whether anyone other than its owner may install or authorise it. */
  is_public: number
  /** Whether it can keep a secret. If not, it has none and must use PKCE. */
  is_confidential: number
  takes_device_flow: number
  created_at: number
  updated_at: number
}

/** Only the public half: the private one is shown once. */
export type AppKeyTable = {
  id: Generated<number>
  app_id: number
  public_key: string
  fingerprint: string
  created_at: number
}

export type AppSecretTable = {
  id: Generated<number>
  app_id: number
  secret_hash: string
  hint: string
  created_at: number
}

export type AppManifestTable = { code_hash: string; owner_id: number; manifest: string; expires_at: number }

export type AppApprovalTable = { app_id: number; organisation_id: number; created_at: number }

export type AppInstallationTable = {
  id: Generated<number>
  app_id: number
  account_id: number
  permissions: string
  events: string
  selection: 'all' | 'selected'
  suspended_at: number | null
  suspended_by_id: number | null
  created_at: number
  updated_at: number
}

export type AppInstallationRepositoryTable = { installation_id: number; repository_id: number; created_at: number }

/** What a user allowed an app, until either revokes it. */
export type AppGrantTable = {
  id: Generated<number>
  app_id: number
  user_id: number
  scopes: string
  created_at: number
  updated_at: number
}

export type AppCodeTable = {
  code_hash: string
  app_id: number
  grant_id: number
  redirect_uri: string
  is_redirect_given: number
  scopes: string
  /** PKCE, S256. */
  challenge: string | null
  /** The family of the tokens issued from it. */
  family: string
  expires_at: number
  used_at: number | null
}

export type AppDeviceCodeTable = {
  device_hash: string
  user_code: string
  app_id: number
  scopes: string
  state: 'pending' | 'granted' | 'denied'
  grant_id: number | null
  interval_seconds: number
  polled_at: number | null
  expires_at: number
}

/** An exchanged refresh token. */
export type AppUsedRefreshTable = { token_hash: string; grant_id: number; family: string; used_at: number }

export type WorkflowRunTable = {
  id: Generated<number>
  repository_id: number
  name: string
  app_id: number | null
  started_by_id: number | null
  created_at: number
  ended_at: number | null
}

export type AppsSchema = {
  app: AppTable
  app_key: AppKeyTable
  app_secret: AppSecretTable
  app_manifest: AppManifestTable
  app_approval: AppApprovalTable
  app_installation: AppInstallationTable
  app_installation_repository: AppInstallationRepositoryTable
  app_grant: AppGrantTable
  app_code: AppCodeTable
  app_device_code: AppDeviceCodeTable
  app_used_refresh: AppUsedRefreshTable
  workflow_run: WorkflowRunTable
}
