/** A token and its rights. */
import { impliedScopes } from './scopes.ts'
import type { TokenKind } from './token-text.ts'

export type AccessLevel = 'read' | 'write' | 'admin'

/** The rights of a token or installation in the repositories of one account. */
export type Reach = {
  readonly permissions: Readonly<Record<string, AccessLevel>>
  readonly repositories: 'all' | 'none' | readonly number[]
}

/** The user or organisation whose resources a token may access. */
export type ResourceOwner = { readonly id: number; readonly name: string }

/** The app that a token was given to. */
export type TokenApp = {
  readonly id: number
  readonly installationId: number | undefined
  readonly grantId: number | undefined
  /** Whether its installation is suspended: then the token has no rights. */
  readonly isSuspended?: boolean
  /** For a user's app token: the app's installations by account. Elsewhere it has no rights. */
  readonly installations?: ReadonlyMap<number, Reach>
}

export type Token = {
  readonly id: number
  /** The account whose rights it has. Another account may act with it: an app's bot. */
  readonly accountId: number
  readonly kind: TokenKind
  readonly hint: string
  readonly note: string
  readonly scopes: readonly string[]
  readonly permissions: Readonly<Record<string, AccessLevel>>
  readonly repositories: 'all' | 'none' | readonly number[]
  readonly expiresAt: Date | undefined
  readonly lastUsedAt: Date | undefined
  /**
   * For a fine-grained token: the one account whose resources it may access; to other owners it is a stranger's. An
   * app's user token made by an admin also has one: the account where its app counts as installed.
   */
  readonly resourceOwner: ResourceOwner | undefined
  /** For a personal token: the organisations that require single sign-on and have not authorized it. */
  readonly lacksSignOnFor: readonly number[]
  readonly isBanned: boolean
  readonly createdAt: Date
  readonly app: TokenApp | undefined
}

export const bannedMessage =
  'This token is banned because it kept sending requests while limited: ask an admin to lift the ban.'

/** Whether the token has the scope, or one that implies it. */
export const hasScope = (token: Token, scope: string): boolean => impliedScopes(token.scopes).has(scope)

const levels: Record<AccessLevel, number> = { read: 1, write: 2, admin: 3 }

/** Whether a fine-grained or app token was given the permission at this level or a higher one. */
export function hasPermission({ permissions }: Pick<Reach, 'permissions'>, name: string, level: AccessLevel): boolean {
  const given = Object.hasOwn(permissions, name) ? permissions[name] : undefined
  return given !== undefined && levels[given] >= levels[level]
}
