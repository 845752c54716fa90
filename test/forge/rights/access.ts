/** What the contract says of a credential before a repository or an organisation: the statuses that it is refused with. */
import {
  type Access,
  type Credential,
  hasPermissions,
  hasScopes,
  holdsMetadata,
  holdsPermission,
  holdsScope,
  isAnonymous,
  isFor,
  isGranted,
  isPersonal,
  selects,
} from './credential.ts'
import { all, type Guard, not, type Truth } from './truth.ts'
import {
  fullName,
  isOwner,
  type Level,
  levelOf,
  type Organisation,
  type Repository,
  rank,
  roleIn,
  siteAdmin,
  type World,
} from './world.ts'

/** A credential that nobody has is refused before anything else; so is one of a suspended user, and a banned one. */
export function enter(world: World, { flaw, account = '' }: Credential): Guard[] {
  return [
    [flaw === 'bad' || flaw === 'expired', 401],
    [flaw === 'banned' || world.people.get(account)?.isSuspended === true, 403],
  ]
}

/**
 * An installation has what belongs to its account, a workflow its one repository, a fine-grained token what belongs to its
 * owner, all others what their user has.
 */
export function reachedLevel(world: World, credential: Credential, repository: Repository): Level {
  const { kind, account } = credential
  const isOutside =
    (kind === 'installation' && account !== repository.owner) ||
    !isFor(credential, repository.owner) ||
    (kind === 'workflow' && !selects(credential, fullName(repository)))
  return levelOf(world, isOutside ? undefined : account, repository)
}

/** What is private is there for those who may read it, with a token that was given it. */
export function sees(world: World, credential: Credential, repository: Repository): boolean {
  if (!repository.isPrivate) return true
  if (reachedLevel(world, credential, repository) === 'none') return false
  if (hasScopes(credential)) return holdsScope(credential, 'repo')
  return !hasPermissions(credential) || selects(credential, fullName(repository))
}

/** In lists: what is private and seen, with a token that may see its metadata. */
export function listsRepository(world: World, credential: Credential, repository: Repository): Truth {
  if (!repository.isPrivate) return true
  if (!sees(world, credential, repository)) return false
  return hasPermissions(credential) ? holdsMetadata(credential) : true
}

export type RepositoryNeed = {
  readonly level: Level
  readonly permission: readonly [string, Access]
  /** Where it is neither `repo` nor, for what is public, `public_repo`. */
  readonly scopes?: readonly string[]
  /** It changes something, so that what is archived refuses it. */
  readonly writes?: boolean
  readonly evenArchived?: boolean
  /** In one's own name: for people's credentials alone. */
  readonly personal?: boolean
}

const holds = (credential: Credential, [name, access]: readonly [string, Access]): Truth =>
  name === 'metadata' ? holdsMetadata(credential) : holdsPermission(credential, name, access)

/** Reading: what is public is anyone's, whatever the token. */
export function readRepository(
  world: World,
  credential: Credential,
  repository: Repository,
  permission: readonly [string, Access],
): Guard[] {
  return [
    ...enter(world, credential),
    [!sees(world, credential, repository), 404],
    [all(repository.isPrivate, hasPermissions(credential), not(holds(credential, permission))), 403],
  ]
}

/** All that takes more than reading, or a person. */
export function useRepository(
  world: World,
  credential: Credential,
  repository: Repository,
  need: RepositoryNeed,
): Guard[] {
  const scopes = need.scopes ?? (repository.isPrivate ? ['repo'] : ['public_repo', 'repo'])
  const isSelected = !hasPermissions(credential) || selects(credential, fullName(repository))
  const level = reachedLevel(world, credential, repository)
  return [
    ...enter(world, credential),
    [!sees(world, credential, repository), 404],
    [isAnonymous(credential), 401],
    [need.personal === true && !isPersonal(credential), 403],
    [hasScopes(credential) && !holdsScope(credential, ...scopes), 403],
    [all(hasPermissions(credential), not(all(isSelected, holds(credential, need.permission)))), 403],
    [rank(level) < rank(need.level), 403],
    [need.writes === true && repository.isArchived && need.evenArchived !== true, 403],
  ]
}

/** What only members or owners of an organisation do, with a token that was given it. */
export function nearOrganisation(
  world: World,
  credential: Credential,
  organisation: Organisation,
  membership: 'member' | 'owner',
  scopes: readonly string[],
  permission: readonly [string, Access],
): Guard[] {
  const { account } = credential
  const isNear = isOwner(organisation, account) || (membership === 'member' && roleIn(organisation, account))
  const isGiven = isFor(credential, organisation.name) && isGranted(credential, scopes, permission)
  return [...signedIn(world, credential), [!isGiven, 403], [!isNear, 403]]
}

/** What one does in one's own name. */
export const signedIn = (world: World, credential: Credential): Guard[] => [
  ...enter(world, credential),
  [isAnonymous(credential), 401],
  [!isPersonal(credential), 403],
]

/** Whether it sees of an organisation what its members see: a member, with a token that was given that. */
export function seesMembers(credential: Credential, organisation: Organisation): Truth {
  const { account, kind, permissions } = credential
  if (kind === 'installation' && account === organisation.name) return permissions.members ? 'unclear' : false
  const isNear = isOwner(organisation, account) || roleIn(organisation, account) !== undefined
  if (!isPersonal(credential) || !isNear || !isFor(credential, organisation.name)) return false
  if (isGranted(credential, ['read:org'], ['members', 'read'])) return true
  return account === siteAdmin && holdsScope(credential, 'site_admin') ? 'unclear' : false
}
