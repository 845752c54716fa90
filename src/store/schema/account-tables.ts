/** The tables of the accounts room. */
import type { Generated } from 'kysely'

export type AccountKind = 'user' | 'organisation' | 'bot'
export type AccountRole = 'admin' | 'problem_setter' | 'contestant' | 'worker'
export type TokenKind =
  | ('classic' | 'fine-grained' | 'oauth' | 'app-user' | 'refresh' | 'installation' | 'workflow')
  /** Those of SSH keys: of users, of repositories, and what either is exchanged for to reach Git LFS. */
  | ('ssh-key' | 'deploy-key' | 'lfs')

export type AccountTable = {
  id: Generated<number>
  /** `user` signs in; `organisation` and `bot` (an app as an author) share the namespace of logins and never do. */
  kind: AccountKind
  name: string
  /** The name in lower case: names are unique without regard to case. */
  name_key: string
  display_name: string
  role: AccountRole
  password_hash: string | null
  /** Suspended: the account keeps all it has and may do nothing. */
  suspended_at: number | null
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
  /** The last characters, so that its owner can tell one token from another. */
  hint: string
  note: string
  /** JSON array of scope names (classic and OAuth tokens). */
  scopes: string
  /** JSON object: permission name to access level (fine-grained and app tokens). */
  permissions: string
  /** JSON: `"all"`, `"none"`, or an array of repository ids. */
  repositories: string
  /** The one account whose things it is for: of each fine-grained token, and of app user tokens that no app asked for. */
  resource_owner_id: number | null
  expires_at: number | null
  last_used_at: number | null
  /** Banned for going on while limited, until an admin lifts it. */
  banned_at: number | null
  created_at: number
  /** Who acts by it, where that is not the account whose rights it has: the bot of an app. */
  actor_id: number | null
  /** The app it was given to, by which installation, grant or run. */
  app_id: number | null
  installation_id: number | null
  grant_id: number | null
  run_id: number | null
  /** Tokens that came of one authorization share it: they end together. */
  family: string | null
  /** The SSH key that it stands for, or was given in exchange for. */
  key_id: number | null
}

export type LockoutTable = {
  key: string
  /** JSON array: when each wrong credential that still counts was given, in ms since the epoch. */
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
