/** Opens a repository: every act checks account, token and required level here, and gets a proof of access. */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { hasScope, type Token } from '../../accounts/tokens/token.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { makeMemo } from '../../store/memo.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { notFound } from '../failures.ts'
import { type Level, reaches } from './level.ts'
import {
  demandGrant,
  demandTokenKind,
  everyCredentialKind,
  hasScopes,
  isOwnMark,
  type Need,
  reachesRepository,
  tokenOf,
} from './need.ts'
import {
  narrowToToken,
  type OpenRepository,
  type RepositorySight,
  readRepositories,
  readSights,
  selectRepositories,
  toOpenRepository,
  type Viewer,
  viewerOf,
} from './repository.ts'
import { demandSignOn, lacksSignOn } from './sign-on.ts'

declare module '../../lib/failure.ts' {
  interface FailureDetail {
    /** Where a renamed repository is found now. */
    readonly repositoryId?: number
  }
}

export type RepositoryAddress = { readonly owner: string; readonly name: string } | { readonly id: number }

export type RepositoryNeed<L extends Level = Level> = Need & {
  readonly level: L
  /** Reading what is public needs no sign-in, unless this says so. */
  readonly signIn: boolean
  /** It changes the repository, or who may what with it: not while it is archived or held by a migration. */
  readonly writes: boolean
  /** What may be done to an archived one nonetheless: to end that, and to delete it. */
  readonly evenArchived?: boolean
  /** What one whom the organisation has blocked may do nonetheless: to take back what is one's own, and to leave. */
  readonly evenBlocked?: boolean
}

export type HeldLevel = Exclude<Level, 'none'>

/** What a proof stands for: what is had with a level is had with a higher one, too; who may change may look. */
type Reach = {
  read: { read: true }
  triage: Reach['read'] & { triage: true }
  write: Reach['triage'] & { push: true; write: true }
  maintain: Reach['write'] & { maintain: true }
  admin: Reach['maintain'] & { admin: true }
}
type Purposes = { look: { look: true }; change: { look: true; change: true } }

/**
 * The proof that an account came through the door with this level at least, by a token that may, to change the repository
 * (which then is neither archived nor locked, and whose owner has not blocked the account) or to look at what not everyone sees. Only the door below makes one: the
 * class is known nowhere else.
 */
export type Access<L extends HeldLevel, P extends keyof Purposes = 'change'> = Proof<Reach[L] & Purposes[P]>

/**
 * To move branches: had with the level `write`, or, for those branches alone that the proof names, by one whom the author of
 * a pull lets push to its head.
 */
export type PushAccess = Proof<Reach['read'] & Purposes['change'] & { push: true }>

class Proof<out R extends Reach['read']> {
  readonly #actor: SignedIn
  readonly repository: OpenRepository
  /** The one that was asked for; the account's own may be higher. */
  readonly level: HeldLevel
  /** The branches that may be moved; all where there are none named. */
  readonly branches: ReadonlySet<string> | undefined
  /** For types alone. */
  declare readonly reach: R

  constructor(
    actor: SignedIn,
    repository: OpenRepository,
    level: HeldLevel,
    branches?: ReadonlySet<string> | undefined,
  ) {
    this.#actor = actor
    this.repository = repository
    this.level = level
    this.branches = branches
  }

  get actor(): SignedIn {
    return this.#actor
  }

  /** For doors that ask for less of some: whether this much was asked for. */
  holds<L extends HeldLevel>(level: L): this is Proof<R & Reach[L]> {
    return reaches(this.level, level)
  }
}

/** To push to a repository, over any interface. */
export const contentsWrite: RepositoryNeed<'write'> = {
  tokens: everyCredentialKind,
  scopes: ['repo'],
  permissions: [{ name: 'contents', level: 'write' }],
  level: 'write',
  signIn: true,
  writes: true,
}

const mostRemembered = 10_000

/** All that a repository, and what an account may with it, is read from. */
const openingTables = [
  ...(['repository', 'account', 'profile', 'collaborator', 'organisation_member', 'organisation_block'] as const),
  ...(['team_ancestor', 'team_member', 'team_repository', 'push'] as const),
]

/**
 * Branches of a repository that maintainers of a pull's base may push to, because the author of the pull allows it. Pulls
 * stand above this folder, so the forge passes their list in. `mayWrite` tells whether the actor may write to a base.
 */
export type ListMaintained = (
  repository: OpenRepository,
  mayWrite: (baseId: number) => Promise<boolean>,
) => Promise<readonly string[]>

export type Opening = ReturnType<typeof makeOpening>

export function makeOpening({ store, listMaintained }: { store: Store; listMaintained: ListMaintained }) {
  const { db } = store
  const byName = prepareQuery(db, ({ owner, name, viewer }: { owner: string; name: string; viewer: number }) =>
    selectRepositories(db, viewer).where('owner.name_key', '=', owner).where('repository.name_key', '=', name),
  )
  const byId = prepareQuery(db, ({ id, viewer }: { id: number; viewer: number }) =>
    selectRepositories(db, viewer).where('repository.id', '=', id),
  )
  const byFormerName = prepareQuery(db, ({ owner, name }: { owner: string; name: string }) =>
    db
      .selectFrom('repository_former_name')
      .innerJoin('account', 'account.id', 'repository_former_name.owner_id')
      .select('repository_id')
      .where('account.name_key', '=', owner)
      .where('repository_former_name.name_key', '=', name),
  )

  async function read(viewer: Viewer | undefined, address: RepositoryAddress, on?: Db) {
    const id = viewer?.id ?? 0
    const [row] = await ('id' in address
      ? byId({ id: address.id, viewer: id }, on)
      : byName({ owner: address.owner.toLowerCase(), name: address.name.toLowerCase(), viewer: id }, on))
    return row && toOpenRepository(row, viewer)
  }

  const remember = makeMemo<OpenRepository>(store, openingTables, mostRemembered)

  async function find(actor: Actor, address: RepositoryAddress, on?: Db): Promise<OpenRepository | undefined> {
    const viewer = viewerOf(actor)
    if (on) return read(viewer, address, on)
    // What is remembered of an account is without its tokens, whose reach may change with what their apps may.
    const { token, ...account } = viewer ?? {}
    const bare = viewer && (account as Omit<Viewer, 'token'>)
    const found = await remember(JSON.stringify([bare, address]), () => read(bare, address))
    return found && narrowToToken(token, found)
  }

  async function findFormer(actor: Actor, address: RepositoryAddress): Promise<OpenRepository | undefined> {
    if ('id' in address) return undefined
    const [row] = await byFormerName({ owner: address.owner.toLowerCase(), name: address.name.toLowerCase() })
    return row && find(actor, { id: row.repository_id })
  }

  async function refuseMoved(actor: Actor, address: RepositoryAddress): Promise<never> {
    const moved = await findFormer(actor, address)
    if (!moved || !maySee(actor, moved)) throw notFound()
    throw new Failure('not-found', 'moved', 'Moved Permanently', { repositoryId: moved.id })
  }

  async function open(actor: Actor, address: RepositoryAddress, need: RepositoryNeed): Promise<OpenRepository> {
    const repository = await find(actor, address)
    if (!repository) return refuseMoved(actor, address)
    demandAccess(actor, repository, need)
    return withinSignOn(actor, repository)
  }

  async function openAnywhere(actor: Actor, address: RepositoryAddress, need: RepositoryNeed): Promise<OpenRepository> {
    const repository = (await find(actor, address)) ?? (await findFormer(actor, address))
    if (!repository) throw notFound()
    demandAccess(actor, repository, need)
    return withinSignOn(actor, repository)
  }

  /** Whether the actor may push to it, by their account and by their token. */
  async function mayWrite(actor: Actor, id: number): Promise<boolean> {
    try {
      await open(actor, { id }, contentsWrite)
      return true
    } catch (error) {
      if (error instanceof Failure && error.kind !== 'unavailable') return false
      throw error
    }
  }

  /** As one who may write; else, where that alone is missing, for the branches that one may move nonetheless. */
  async function enterToPush(
    actor: Actor,
    need: RepositoryNeed<'write'>,
    openBy: (need: RepositoryNeed) => Promise<OpenRepository>,
  ): Promise<PushAccess> {
    const writing = { ...need, writes: true }
    try {
      const repository = await openBy(writing)
      return new Proof<Reach['write'] & Purposes['change']>(actor as SignedIn, repository, need.level)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'level-missing') throw error
      const repository = await openBy({ ...writing, level: 'read', signIn: true })
      demandSignOn(actor, repository.owner.id)
      const branches = await listMaintained(repository, (id) => mayWrite(actor, id))
      if (branches.length === 0) throw error
      return new Proof<Reach['read'] & Purposes['change'] & { push: true }>(
        actor as SignedIn,
        repository,
        'read',
        new Set(branches),
      )
    }
  }

  return {
    find,
    mayWrite,

    /** To move branches of it. */
    enterToPush: (actor: Actor, address: RepositoryAddress, need: RepositoryNeed<'write'>): Promise<PushAccess> =>
      enterToPush(actor, need, (asked) => open(actor, address, asked)),

    /** To move branches of it, under its former name, too. */
    enterAnywhereToPush: (
      actor: Actor,
      address: RepositoryAddress,
      need: RepositoryNeed<'write'>,
    ): Promise<PushAccess> => enterToPush(actor, need, (asked) => openAnywhere(actor, address, asked)),

    /** To read it, which may need no account. Throws `moved` for one that was renamed, with its id, to those who may see it. */
    open,

    /** Under its former name, too, for those who can't be sent on: git would not follow a redirect of a push. */
    openAnywhere,

    /** To look at what not everyone sees. */
    look: async <L extends HeldLevel>(actor: Actor, address: RepositoryAddress, need: RepositoryNeed<L>) =>
      new Proof<Reach[L] & Purposes['look']>(
        actor as SignedIn,
        await open(actor, address, { ...need, signIn: true }),
        need.level,
      ),

    /** To change it. */
    enter: async <L extends HeldLevel>(actor: Actor, address: RepositoryAddress, need: RepositoryNeed<L>) =>
      new Proof<Reach[L] & Purposes['change']>(
        actor as SignedIn,
        await open(actor, address, { ...need, writes: true }),
        need.level,
      ),

    /** To change it, under its former name, too. */
    enterAnywhere: async <L extends HeldLevel>(actor: Actor, address: RepositoryAddress, need: RepositoryNeed<L>) =>
      new Proof<Reach[L] & Purposes['change']>(
        actor as SignedIn,
        await openAnywhere(actor, address, { ...need, writes: true }),
        need.level,
      ),
  }
}

/** What may not be seen is not there. A token sees no more of what is private than it was given. */
export const maySee = (actor: Actor, repository: RepositorySight): boolean =>
  isWithinReach(actor, repository) && !(repository.isPrivate && lacksSignOn(actor, repository.owner.id))

/** Those with these ids that the actor may see. */
export async function readSeen(db: Db, actor: Actor, ids: Iterable<number>): Promise<Map<number, OpenRepository>> {
  const found = await readRepositories(db, actor, ids)
  for (const [id, repository] of found) if (!maySee(actor, repository)) found.delete(id)
  return found
}

/** Which of those with these ids the actor may see, without all else about them. */
export async function findSeen(db: Db, actor: Actor, ids: Iterable<number>): Promise<Map<number, RepositorySight>> {
  const sights = await readSights(db, actor, ids)
  return new Map(sights.filter((sight) => maySee(actor, sight)).map((sight) => [sight.id, sight]))
}

/** Of what is public, a token that lacks single sign-on sees what anyone sees, and has no more rights than anyone. */
const withinSignOn = (actor: Actor, repository: OpenRepository): OpenRepository =>
  reaches(repository.level, 'triage') && lacksSignOn(actor, repository.owner.id)
    ? { ...repository, level: 'read' }
    : repository

function isWithinReach(actor: Actor, repository: RepositorySight): boolean {
  if (repository.level === 'none') return false
  const token = tokenOf(actor)
  if (!repository.isPrivate || !token) return true
  return hasScopes(token) ? hasScope(token, 'repo') : reachesRepository(token, repository)
}

function demandAccess(actor: Actor, repository: OpenRepository, need: RepositoryNeed): void {
  if (!isWithinReach(actor, repository)) throw notFound()
  const isRead = !need.writes && !reaches(need.level, 'triage')
  const isOpen = isRead && !repository.isPrivate && !need.signIn
  const token = tokenOf(actor)
  if (!isOpen) requireSignIn(actor)
  demandTokenKind(actor, need)
  if (repository.isPrivate) demandSignOn(actor, repository.owner.id)
  if (token && !isOpen) demandTokenGrant(actor, token, repository, need, isRead)
  if (!reaches(repository.level, need.level))
    throw new Failure('forbidden', 'level-missing', `Must have ${need.level} rights to Repository.`)
  if (reaches(need.level, 'triage')) demandSignOn(actor, repository.owner.id)
  if (need.writes) demandWritable(repository, need)
}

/** For what follows from an act that is over, and refuses nobody: whether the actor may do this, too. */
export function mayDo(actor: Actor, repository: OpenRepository, need: RepositoryNeed): boolean {
  try {
    demandAccess(actor, repository, need)
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

function demandTokenGrant(
  actor: Actor,
  token: Token,
  repository: OpenRepository,
  need: RepositoryNeed,
  isRead: boolean,
): void {
  const isOwn = reachesRepository(token, repository)
  const isReached = isOwn || isRead || isOwnMark(token, need)
  demand(
    isReached,
    'forbidden',
    'repository-not-selected',
    'Resource not accessible: the token does not include this repository.',
  )
  const isPlainRepo = need.scopes.length === 1 && need.scopes[0] === 'repo'
  // Of a public repository `repo` means its public part.
  const scopes = isPlainRepo && !repository.isPrivate ? (isRead ? [] : ['public_repo', 'repo']) : need.scopes
  // Reading what is public needs nothing of its owner: the token's own permissions say what it may be used for.
  demandGrant(actor, need, scopes, isOwn ? repository.owner : undefined)
}

/** For what leaves the repository as it is, but takes part in it: to watch, star or fork it. */
export function demandUnblocked({ isBlocking }: Pick<OpenRepository, 'isBlocking'>): void {
  demand(!isBlocking, 'forbidden', 'blocked', 'The organization that owns the repository has blocked you.')
}

function demandWritable(repository: OpenRepository, need: RepositoryNeed): void {
  if (!need.evenBlocked) demandUnblocked(repository)
  demandUnlocked(repository)
  demand(
    !repository.isArchived || need.evenArchived,
    'forbidden',
    'repository-archived',
    'Repository was archived so is read-only.',
  )
}

/** For what changes it and comes by another door, such as an invitation that is accepted. */
export function demandUnlocked(repository: OpenRepository): void {
  demand(!repository.isLocked, 'forbidden', 'repository-locked', describeLock(repository))
}

/** Its admins, who can unlock it, are told which migration holds it. */
function describeLock({ level, lockMigrationId }: OpenRepository): string {
  const which = level === 'admin' && lockMigrationId !== null ? ` (number ${lockMigrationId})` : ''
  return `The repository is locked for a migration${which}: reads work, writes do not until it is unlocked.`
}
