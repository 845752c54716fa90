/** The token kinds, scopes and permissions that an act needs. Every act is checked here. */
import type { Actor } from '../../accounts/actor.ts'
import { type AccessLevel, hasPermission, hasScope, type Reach, type Token } from '../../accounts/tokens/token.ts'
import type { TokenKind } from '../../accounts/tokens/token-text.ts'
import { Failure } from '../../lib/failure.ts'

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
/** SSH keys come over SSH alone; what follows from their pushes may need more than git's own doors. */
export const everyCredentialKind: readonly TokenKind[] = [...everyTokenKind, 'ssh-key', 'deploy-key']

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

/** Installations and workflow runs act for nobody: what a person is to others counts only by a credential of their own. */
export function actsForPerson(actor: Actor): boolean {
  const token = tokenOf(actor)
  return actor.account !== undefined && (!token || token.kind === 'ssh-key' || personalTokenKinds.includes(token.kind))
}

/** Whatever the credential is good for. */
export const hasAdminRole = ({ account }: Actor): boolean => account?.role === 'admin' && !account.isSuspended

/** An admin of the server is one by a session, or by a classic token that was given the scope for it. */
export function isSiteAdmin(actor: Actor): boolean {
  if (!hasAdminRole(actor)) return false
  const token = tokenOf(actor)
  return !token || (token.kind === 'classic' && hasScope(token, 'site_admin'))
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

/** The scopes or permissions of the need; `scopes` narrows the listed ones where the thing itself decides, `owner` is whose it is. */
export function demandGrant(
  actor: Actor,
  need: Need,
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

/** For what shows more to some than to others and refuses nobody: whether the credential lets its person count. */
export function isGrantedTo(
  actor: Actor,
  need: Pick<Need, 'scopes' | 'permissions'>,
  owner?: { readonly id: number },
): boolean {
  const token = tokenOf(actor)
  return !token || isGranted(token, need, need.scopes, owner)
}

function isGranted(
  token: Token,
  { permissions }: Pick<Need, 'permissions'>,
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
 * The accounts whose things a token is for; undefined where its person's rights count everywhere. A fine-grained token has one
 * owner, an installation is on one account, an app that acts for a user is where it is installed. Of all other owners they
 * have what a stranger has. A workflow run, a repository's key and what is for Git LFS
 * are bound to one repository.
 */
function ownersOf(token: Token): readonly number[] | undefined {
  if (hasScopes(token) || ofOneRepository.includes(token.kind)) return undefined
  if (token.app?.installations) return [...token.app.installations.keys()]
  if (token.kind === 'installation') return [token.accountId]
  return token.resourceOwner ? [token.resourceOwner.id] : []
}

/** The same of whoever asks: a session, and nobody, are bound to no owner. */
export function listOwners(actor: Actor): readonly number[] | undefined {
  const token = tokenOf(actor)
  return token && ownersOf(token)
}

/** What a token may with what an account owns; undefined where it is a stranger's. */
export function reachAt(token: Token, owner: { readonly id: number } | undefined): Reach | undefined {
  if (!owner) return token
  if (ownersOf(token)?.includes(owner.id) === false) return undefined
  return token.app?.installations?.get(owner.id) ?? token
}

/** What a token may with the things of its person, which are their own wherever they are about: profile, stars, data sets. */
const reachAtHome = (token: Token): Reach | undefined =>
  token.resourceOwner && token.resourceOwner.id !== token.accountId ? undefined : token

/** Whether what its person is to an owner counts by the credential: not by one that acts for nobody, or is for other owners. */
export function countsAt(actor: Actor, owner: { readonly id: number }): boolean {
  const token = tokenOf(actor)
  return actsForPerson(actor) && (!token || reachAt(token, owner) !== undefined)
}

/** A token that may do anything at all with a repository may see its metadata. */
function isPermitted(reach: Reach, name: string, level: AccessLevel): boolean {
  if (name === 'metadata' && level === 'read') return Object.keys(reach.permissions).some(isOfRepositories)
  return hasPermission(reach, name, level)
}

/** Permissions about the token's person. */
const ofAccount: ReadonlySet<string> = new Set([
  ...['profile', 'email_addresses', 'watching', 'starring', 'followers', 'datasets'],
  ...['git_ssh_keys', 'ssh_signing_keys', 'gpg_keys'],
])
/** All but those about people and organisations. */
export const isOfRepositories = (name: string): boolean =>
  !ofAccount.has(name) && name !== 'members' && !name.startsWith('organization_')

/** Stars and watches are their person's own: a fine-grained token for oneself sets them on whatever is public. */
export const isOwnMark = (token: Token, { permissions }: Need): boolean =>
  token.kind === 'fine-grained' && permissions.length > 0 && permissions.every(({ name }) => ofAccount.has(name))

/** For an app that acts for a user: what changes the user's own repositories needs an installation on that account. */
export const changesOwn = ({ permissions }: Need): boolean =>
  permissions.some(({ name, level }) => level !== 'read' && isOfRepositories(name))

/** Whose rights count: those of the account that the token was given for, whoever is named as the author. */
export const rightsHolderOf = (actor: Actor): number | undefined => tokenOf(actor)?.accountId ?? actor.account?.id

/** The app that something is done through. OAuth apps are not told of. */
export const appOf = (actor: Actor): number | null => {
  const token = tokenOf(actor)
  return token && token.kind !== 'oauth' ? (token.app?.id ?? null) : null
}

/**
 * Whether the token reaches this repository at all. Scopes are about all repositories, permissions about those of an owner,
 * all or some.
 */
export function reachesRepository(token: Token, { id, owner }: { id: number; owner: { id: number } }): boolean {
  if (hasScopes(token)) return true
  const repositories = reachAt(token, owner)?.repositories ?? 'none'
  return repositories === 'all' || (repositories !== 'none' && repositories.includes(id))
}
