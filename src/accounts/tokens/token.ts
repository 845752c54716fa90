/** A token and what it permits. */
import { impliedScopes } from './scopes.ts'
import type { TokenKind } from './token-text.ts'

export type AccessLevel = 'read' | 'write' | 'admin'

/** What a token or an installation may with the repositories of one account. */
export type Reach = {
  readonly permissions: Readonly<Record<string, AccessLevel>>
  readonly repositories: 'all' | 'none' | readonly number[]
}

/** A user or an organisation whose things a token is for. */
export type ResourceOwner = { readonly id: number; readonly name: string }

/** The app that a token was given to. */
export type TokenApp = {
  readonly id: number
  readonly installationId: number | undefined
  readonly grantId: number | undefined
  /** Whether its installation is suspended: then it may nothing. */
  readonly isSuspended?: boolean
  /** Of a token for a user: where the app is installed, by account. Elsewhere it may nothing. */
  readonly installations?: ReadonlyMap<number, Reach>
}

export type Token = {
  readonly id: number
  /** Whose rights it has. Who acts by it may be another: the bot of an app. */
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
   * Of a fine-grained token: the one account whose things it is for. Of other owners it has what a stranger has. An app's
   * user token that an admin made has one, too: the account that its app counts as installed on.
   */
  readonly resourceOwner: ResourceOwner | undefined
  /** Of a personal token: the organisations it reaches that demand single sign-on, and that it is not authorised for. */
  readonly lacksSignOnFor: readonly number[]
  readonly isBanned: boolean
  readonly createdAt: Date
  readonly app: TokenApp | undefined
}

export const bannedMessage =
  'This token is banned because it kept sending requests while limited: ask an admin to lift the ban.'

/** A token has a scope when it holds it or one that implies it. */
export const hasScope = (token: Token, scope: string): boolean => impliedScopes(token.scopes).has(scope)

const levels: Record<AccessLevel, number> = { read: 1, write: 2, admin: 3 }

/** A fine-grained or app token has a permission when it was given that level or a higher one. */
export function hasPermission({ permissions }: Pick<Reach, 'permissions'>, name: string, level: AccessLevel): boolean {
  const given = Object.hasOwn(permissions, name) ? permissions[name] : undefined
  return given !== undefined && levels[given] >= levels[level]
}
