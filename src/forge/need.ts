/** What an act needs of the credential it is asked with: token kinds, scopes, permissions. Decided here, once, for every act. */
import type { Actor } from '../accounts/actor.ts'
import { type AccessLevel, hasPermission, hasScope, type Token } from '../accounts/token.ts'
import type { TokenKind } from '../accounts/token-text.ts'
import { demand, Failure } from '../base/failure.ts'

export type Permission = { readonly name: string; readonly level: AccessLevel }

export type Need = {
  /** The kinds of token that are taken. A session is the account itself and always is. */
  readonly tokens: readonly TokenKind[]
  /** Any one of these lets a classic or OAuth token in; none listed, none needed. */
  readonly scopes: readonly string[]
  /** Any one of these lets a fine-grained, app or workflow token in; none listed, none needed. */
  readonly permissions: readonly Permission[]
}

export const everyTokenKind: readonly TokenKind[] = [
  'classic',
  'fine-grained',
  'oauth',
  'app-user',
  'installation',
  'workflow',
]
/** Those that stand for a person. */
export const personalTokenKinds: readonly TokenKind[] = ['classic', 'fine-grained', 'oauth', 'app-user']

/** `issues=read; pull_requests=read`: either will do. The same text goes out in a header. */
export function parsePermissions(text: string): Permission[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const [name, level] = part.split('=') as [string, AccessLevel]
      return { name, level }
    })
}

export const tokenOf = (actor: Actor): Token | undefined =>
  actor.credential.kind === 'token' ? actor.credential.token : undefined

export const hasScopes = (token: Token): boolean => token.kind === 'classic' || token.kind === 'oauth'

const kindNames: Record<TokenKind, string> = {
  classic: 'classic personal access token',
  'fine-grained': 'fine-grained personal access token',
  oauth: 'OAuth app token',
  'app-user': 'app user token',
  refresh: 'refresh token',
  installation: 'installation token',
  workflow: 'workflow token',
}

export function demandTokenKind(actor: Actor, need: Need): void {
  const token = tokenOf(actor)
  if (!token || need.tokens.includes(token.kind)) return
  const taken = need.tokens.map((kind) => kindNames[kind]).join(' or ')
  throw new Failure(
    'forbidden',
    'token-kind',
    `Resource not accessible by ${kindNames[token.kind]}: ${taken ? `use a ${taken}` : 'sign in on the web page'}.`,
  )
}

/** The scopes or permissions of the need; `scopes` narrows the listed ones where the thing itself decides. */
export function demandGrant(actor: Actor, need: Need, scopes: readonly string[] = need.scopes): void {
  const token = tokenOf(actor)
  if (!token) return
  if (hasScopes(token)) {
    if (scopes.length === 0 || scopes.some((scope) => hasScope(token, scope))) return
    throw new Failure(
      'forbidden',
      'scope-missing',
      `This needs a token with the scope ${scopes.join(' or ')}; this one has ${token.scopes.join(', ') || 'none'}.`,
    )
  }
  const { permissions } = need
  if (permissions.length === 0 || permissions.some(({ name, level }) => isGranted(token, name, level))) return
  const wanted = permissions.map(({ name, level }) => `${name}=${level}`).join(' or ')
  throw new Failure(
    'forbidden',
    'permission-missing',
    `Resource not accessible by ${kindNames[token.kind]}: it needs the permission ${wanted}.`,
  )
}

/** A token that may do anything at all with a repository may see its metadata. */
function isGranted(token: Token, name: string, level: AccessLevel): boolean {
  if (name === 'metadata' && level === 'read') return Object.keys(token.permissions).length > 0
  return hasPermission(token, name, level)
}

/** Whether the token reaches this repository at all. Scopes are about all repositories, permissions about some. */
export function reachesRepository(token: Token, repositoryId: number): boolean {
  if (hasScopes(token)) return true
  return token.repositories === 'all' || (token.repositories !== 'none' && token.repositories.includes(repositoryId))
}

export function demandSiteAdmin(actor: Actor): void {
  demand(actor.account?.role === 'admin', 'forbidden', 'not-site-admin', 'Only an admin of this server may do this.')
}
