/** A token and what it permits. */
import { impliedScopes } from './scopes.ts'
import type { TokenKind } from './token-text.ts'

export type AccessLevel = 'read' | 'write' | 'admin'

export type Token = {
  readonly id: number
  readonly accountId: number
  readonly kind: TokenKind
  readonly hint: string
  readonly note: string
  readonly scopes: readonly string[]
  readonly permissions: Readonly<Record<string, AccessLevel>>
  readonly repositories: 'all' | 'none' | readonly number[]
  readonly expiresAt: Date | undefined
  readonly lastUsedAt: Date | undefined
  /** Of a classic token: the organisations of its person that demand single sign-on, and that it is not authorised for. */
  readonly lacksSignOnFor: readonly number[]
  readonly isBanned: boolean
  readonly createdAt: Date
}

/** A token has a scope when it holds it or one that implies it. */
export const hasScope = (token: Token, scope: string): boolean => impliedScopes(token.scopes).has(scope)

const levels: Record<AccessLevel, number> = { read: 1, write: 2, admin: 3 }

/** A fine-grained or app token has a permission when it was given that level or a higher one. */
export function hasPermission(token: Token, name: string, level: AccessLevel): boolean {
  const given = token.permissions[name]
  return given !== undefined && levels[given] >= levels[level]
}
