/** The tables of accounts. */
import type { Generated } from 'kysely'

export type AccountKind = 'user' | 'organisation' | 'bot'
export type AccountRole = 'admin' | 'problem_setter' | 'contestant' | 'worker'
export type TokenKind =
  | ('classic' | 'fine-grained' | 'oauth' | 'app-user' | 'refresh' | 'installation' | 'workflow')
  /** Kinds for SSH keys: of users, of repositories, and the tokens that either is exchanged for to reach Git LFS. */
  | ('ssh-key' | 'deploy-key' | 'lfs')

export type AccountTable = {
  id: Generated<number>
  /**
   * `user` signs in; `organisation` and `bot` (an app as an author) share the namespace of logins but never sign in.
   */
  kind: AccountKind
  name: string
  /** The name in lower case: names are unique ignoring case. */
  name_key: string
  display_name: string
  role: AccountRole
  password_hash: string | null
  /** When it was suspended: the account keeps everything but may do nothing. */
  suspended_at: number | null
  /** The account that created it. Null if its owner signed up, or the server or an import created it. */
  creator_id: Generated<number | null>
  created_at: number
  updated_at: number
}

export type SessionTable = {
  token_hash: string
  account_id: number
  created_at: number
  expires_at: number
}

export type TokenTable = {
  id: Generated<number>
  account_id: number
  kind: TokenKind
  token_hash: string
  /** The last characters, so that its owner can recognise it. */
  hint: string
  note: string
  /** JSON array of scope names (classic and OAuth tokens). */
  scopes: string
  /** JSON object: permission name to access level (fine-grained and app tokens). */
  permissions: string
  /** JSON: `"all"`, `"none"`, or an array of repository ids. */
  repositories: string
  /**
   * The one account whose resources it is for: set for fine-grained tokens, and for app user tokens that no app
   * requested.
   */
  resource_owner_id: number | null
  expires_at: number | null
  last_used_at: number | null
  /** When it was banned for continuing while limited, until an admin lifts it. */
  banned_at: number | null
  created_at: number
  /** The acting account, if other than the one whose rights it has: the bot of an app. */
  actor_id: number | null
  /** The app it was issued to, and by which installation, grant or run. */
  app_id: number | null
  installation_id: number | null
  grant_id: number | null
  run_id: number | null
  /** Shared by tokens from one authorisation: they end together. */
  family: string | null
  /** The SSH key that it represents, or was exchanged for. */
  key_id: number | null
}

export type LockoutTable = {
  key: string
  /** JSON array: the times of wrong credentials that still count, in ms since the epoch. */
  failures: string
  blocked_until: number
}

export type SettingTable = { key: string; value: string }

export type AccountsSchema = {
  account: AccountTable
  session: SessionTable
  token: TokenTable
  lockout: LockoutTable
  setting: SettingTable
}
