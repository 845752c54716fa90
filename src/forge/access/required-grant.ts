/** The token kinds, scopes and permissions that an act needs. Every act is checked here. */
import type { Actor } from '../../accounts/actor.ts'
import { type AccessLevel, hasPermission, hasScope, type Reach, type Token } from '../../accounts/tokens/token.ts'
import type { TokenKind } from '../../accounts/tokens/token-text.ts'
import { Failure } from '../../lib/failure.ts'

export type Permission = { readonly name: string; readonly level: AccessLevel }

export type RequiredGrant = {
  /** The kinds of token that are accepted. A session is the account itself and is always accepted. */
  readonly tokens: readonly TokenKind[]
  /** A classic or OAuth token needs one of these; an empty list needs none. */
  readonly scopes: readonly string[]
  /** A fine-grained, app or workflow token needs one of these; an empty list needs none. */
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
/** The kinds that stand for a person. */
export const personalTokenKinds: readonly TokenKind[] = ['classic', 'fine-grained', 'oauth', 'app-user']
/** SSH keys are used only over SSH, but the effects of their pushes may need more than git's own routes. */
export const everyCredentialKind: readonly TokenKind[] = [...everyTokenKind, 'ssh-key', 'deploy-key']

/** `issues=read; pull_requests=read`: either is enough. The same text is sent in a header. */
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

const withScopes: readonly TokenKind[] = ['classic', 'oauth', 'ssh-key']

export const hasScopes = ({ kind }: Pick<Token, 'kind'>): boolean => withScopes.includes(kind)

const kindNames: Record<TokenKind, string> = {
  classic: 'classic personal access token',
  'fine-grained': 'fine-grained personal access token',
  oauth: 'OAuth app token',
  'app-user': 'app user token',
  refresh: 'refresh token',
  installation: 'installation token',
  workflow: 'workflow token',
  'ssh-key': 'SSH key',
  'deploy-key': 'deploy key',
  lfs: 'Git LFS token',
}

const withArticle = (name: string): string => `${/^(?:[AEIOaeio]|SSH)/.test(name) ? 'an' : 'a'} ${name}`

/** Installations and workflow runs act for nobody: a person's relations count only by a credential of their own. */
export function actsForPerson(actor: Actor): boolean {
  const token = tokenOf(actor)
  return actor.account !== undefined && (!token || token.kind === 'ssh-key' || personalTokenKinds.includes(token.kind))
}

/** Whether the account is an admin, whatever its credential may do. */
export const hasAdminRole = ({ account }: Actor): boolean => account?.role === 'admin' && !account.isSuspended

/** A site admin must use a session, or a classic token with the scope for it. */
export function isSiteAdmin(actor: Actor): boolean {
  if (!hasAdminRole(actor)) return false
  const token = tokenOf(actor)
  return !token || (token.kind === 'classic' && hasScope(token, 'site_admin'))
}

export function demandTokenKind(actor: Actor, need: RequiredGrant): void {
  const token = tokenOf(actor)
  if (!token || need.tokens.includes(token.kind)) return
  const taken = need.tokens.map((kind) => withArticle(kindNames[kind])).join(' or ')
  throw new Failure(
    'forbidden',
    'token-kind',
    `Resource not accessible by ${kindNames[token.kind]}: ${taken ? `use ${taken}` : 'sign in on the web page'}.`,
  )
}

/**
 * Demands the need's scopes or permissions; `scopes` replaces the listed ones where the subject decides, `owner` is the
 * subject's owner.
 */
export function demandGrant(
  actor: Actor,
  need: RequiredGrant,
  scopes: readonly string[] = need.scopes,
  owner?: { readonly id: number },
): void {
  const token = tokenOf(actor)
  if (!token || isGranted(token, need, scopes, owner)) return
  if (hasScopes(token)) {
    throw new Failure(
      'forbidden',
      'scope-missing',
      `This needs a token with the scope ${scopes.join(' or ')}; this one has ${token.scopes.join(', ') || 'none'}.`,
    )
  }
  if (token.resourceOwner && owner && !reachAt(token, owner))
    throw new Failure(
      'forbidden',
      'other-owner',
      `Resource not accessible by ${kindNames[token.kind]}: it is for what ${token.resourceOwner.name} owns.`,
    )
  const wanted = need.permissions.map(({ name, level }) => `${name}=${level}`).join(' or ')
  throw new Failure(
    'forbidden',
    'permission-missing',
    `Resource not accessible by ${kindNames[token.kind]}: it needs the permission ${wanted}.`,
  )
}

/** For results that show more to some callers and refuse nobody: whether the credential has the need's rights. */
export function isGrantedTo(
  actor: Actor,
  need: Pick<RequiredGrant, 'scopes' | 'permissions'>,
  owner?: { readonly id: number },
): boolean {
  const token = tokenOf(actor)
  return !token || isGranted(token, need, need.scopes, owner)
}

function isGranted(
  token: Token,
  { permissions }: Pick<RequiredGrant, 'permissions'>,
  scopes: readonly string[],
  owner: { readonly id: number } | undefined,
): boolean {
  if (hasScopes(token)) return scopes.length === 0 || scopes.some((scope) => hasScope(token, scope))
  if (permissions.length === 0) return reachAt(token, owner) !== undefined
  return permissions.some(({ name, level }) => {
    const reach = ofAccount.has(name) ? reachAtHome(token) : reachAt(token, owner)
    return reach !== undefined && isPermitted(reach, name, level)
  })
}

const ofOneRepository: readonly TokenKind[] = ['workflow', 'deploy-key', 'lfs']

/**
 * The accounts whose things a token covers; undefined if its person's rights count everywhere. A fine-grained token has
 * one owner, an installation is on one account, and an app acting for a user counts where it is installed. With all
 * other owners they have a stranger's rights. Tokens of workflow runs, deploy keys and Git LFS are bound to one
 * repository.
 */
function ownersOf(token: Token): readonly number[] | undefined {
  if (hasScopes(token) || ofOneRepository.includes(token.kind)) return undefined
  if (token.app?.installations) return [...token.app.installations.keys()]
  if (token.kind === 'installation') return [token.accountId]
  return token.resourceOwner ? [token.resourceOwner.id] : []
}

/** The same for an actor: a session or an anonymous caller is bound to no owner. */
export function listOwners(actor: Actor): readonly number[] | undefined {
  const token = tokenOf(actor)
  return token && ownersOf(token)
}

/** A token's rights to an account's things; undefined if the token is a stranger there. */
export function reachAt(token: Token, owner: { readonly id: number } | undefined): Reach | undefined {
  if (!owner) return token
  if (ownersOf(token)?.includes(owner.id) === false) return undefined
  return token.app?.installations?.get(owner.id) ?? token
}

/** A token's rights to its person's own things, whatever these are about: profile, stars, data sets. */
const reachAtHome = (token: Token): Reach | undefined =>
  token.resourceOwner && token.resourceOwner.id !== token.accountId ? undefined : token

/** Whether the person's relation to an owner counts: not if the credential acts for nobody, or is for other owners. */
export function countsAt(actor: Actor, owner: { readonly id: number }): boolean {
  const token = tokenOf(actor)
  return actsForPerson(actor) && (!token || reachAt(token, owner) !== undefined)
}

/** A token with any permission on a repository may see its metadata. */
function isPermitted(reach: Reach, name: string, level: AccessLevel): boolean {
  if (name === 'metadata' && level === 'read') return Object.keys(reach.permissions).some(isOfRepositories)
  return hasPermission(reach, name, level)
}

/** Permissions about the token's person. */
const ofAccount: ReadonlySet<string> = new Set([
  ...['profile', 'email_addresses', 'watching', 'starring', 'followers', 'datasets'],
  ...['git_ssh_keys', 'ssh_signing_keys', 'gpg_keys'],
])
/** All permissions except those about people and organisations. */
export const isOfRepositories = (name: string): boolean =>
  !ofAccount.has(name) && name !== 'members' && !name.startsWith('organization_')

/** Stars and watches are the person's own: a fine-grained token for oneself sets them on any public repository. */
export const isOwnMark = (token: Token, { permissions }: RequiredGrant): boolean =>
  token.kind === 'fine-grained' && permissions.length > 0 && permissions.every(({ name }) => ofAccount.has(name))

/** For an app acting for a user: changing the user's own repositories needs an installation on that account. */
export const changesOwn = ({ permissions }: RequiredGrant): boolean =>
  permissions.some(({ name, level }) => level !== 'read' && isOfRepositories(name))

/** The account whose rights count: the one that the token belongs to, whoever is named as the author. */
export const rightsHolderOf = (actor: Actor): number | undefined => tokenOf(actor)?.accountId ?? actor.account?.id

/** The app that acts. OAuth apps are not shown. */
export const appOf = (actor: Actor): number | null => {
  const token = tokenOf(actor)
  return token && token.kind !== 'oauth' ? (token.app?.id ?? null) : null
}

/**
 * Whether the token covers this repository at all. Scopes cover all repositories; permissions cover all or some of an
 * owner's.
 */
export function reachesRepository(token: Token, { id, owner }: { id: number; owner: { id: number } }): boolean {
  if (hasScopes(token)) return true
  const repositories = reachAt(token, owner)?.repositories ?? 'none'
  return repositories === 'all' || (repositories !== 'none' && repositories.includes(id))
}
