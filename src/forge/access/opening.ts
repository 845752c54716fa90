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
import {
  demandGrant,
  demandTokenKind,
  everyCredentialKind,
  hasScopes,
  isOwnMark,
  type RequiredGrant,
  reachesRepository,
  tokenOf,
} from './required-grant.ts'
import { demandSignOn, lacksSignOn } from './sign-on.ts'

declare module '../../lib/failure.ts' {
  interface FailureDetail {
    /** The id under which a renamed repository is found now. */
    readonly repositoryId?: number
  }
}

export type RepositoryAddress = { readonly owner: string; readonly name: string } | { readonly id: number }

export type RepositoryNeed<L extends Level = Level> = RequiredGrant & {
  readonly level: L
  /** Whether even reading a public repository needs a sign-in. */
  readonly signIn: boolean
  /** Whether it changes the repository or its access rights: refused while it is archived or locked by a migration. */
  readonly writes: boolean
  /** Allowed even if the repository is archived: to unarchive or delete it. */
  readonly evenArchived?: boolean
  /** Allowed even if the organisation has blocked the caller: to undo one's own acts, and to leave. */
  readonly evenBlocked?: boolean
}

export type HeldLevel = Exclude<Level, 'none'>

/** A higher level includes the lower ones; the purpose `change` includes `look`. */
type Reach = {
  read: { read: true }
  triage: Reach['read'] & { triage: true }
  write: Reach['triage'] & { push: true; write: true }
  maintain: Reach['write'] & { maintain: true }
  admin: Reach['maintain'] & { admin: true }
}
type Purposes = { look: { look: true }; change: { look: true; change: true } }

/**
 * The proof that an account has at least this level, with a token that allows it: to change the repository (neither
 * archived nor locked, and the owner has not blocked the account), or to read things that not everyone may see. Only
 * this module makes one: the class is not exported.
 */
export type Access<L extends HeldLevel, P extends keyof Purposes = 'change'> = Proof<Reach[L] & Purposes[P]>

/**
 * The right to move branches: by the level `write`, or only for the named branches, if a pull's author allows pushes to
 * its head.
 */
export type PushAccess = Proof<Reach['read'] & Purposes['change'] & { push: true }>

class Proof<out R extends Reach['read']> {
  readonly #actor: SignedIn
  readonly repository: OpenRepository
  /** The level that was asked for; the account's own may be higher. */
  readonly level: HeldLevel
  /** The branches that may be moved; undefined for all. */
  readonly branches: ReadonlySet<string> | undefined
  /** Exists only in types. */
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

  /** For callers that ask for less in some cases: whether this level was asked for. */
  holds<L extends HeldLevel>(level: L): this is Proof<R & Reach[L]> {
    return reaches(this.level, level)
  }
}

/** The need for pushes to a repository, over any interface. */
export const contentsWrite: RepositoryNeed<'write'> = {
  tokens: everyCredentialKind,
  scopes: ['repo'],
  permissions: [{ name: 'contents', level: 'write' }],
  level: 'write',
  signIn: true,
  writes: true,
}

const mostRemembered = 10_000

/** All tables that a repository and an account's access to it are read from. */
const openingTables = [
  ...(['repository', 'account', 'profile', 'collaborator', 'organisation_member', 'organisation_block'] as const),
  ...(['team_ancestor', 'team_member', 'team_repository', 'push'] as const),
]

/**
 * Lists the branches that maintainers of a pull's base may push to because the pull's author allows it. The module of
 * pulls depends on this folder, so the forge passes the function in. `mayWrite` tells whether the actor may write to a
 * base.
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
    // The memo's key leaves out the account's token: its rights may change with those of its app.
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

  /** Whether the actor may push to it, by account and by token. */
  async function mayWrite(actor: Actor, id: number): Promise<boolean> {
    try {
      await open(actor, { id }, contentsWrite)
      return true
    } catch (error) {
      if (error instanceof Failure && error.kind !== 'unavailable') return false
      throw error
    }
  }

  /** Enters with write rights; if only the level is missing, for the branches that the actor may move nonetheless. */
  async function enterToPush(
    actor: Actor,
    need: RepositoryNeed<'write'>,
    openBy: (need: RepositoryNeed) => Promise<OpenRepository>,
  ): Promise<PushAccess> {
    const writing = { ...need, writes: true }
    try {
      const repository = await openBy(writing)
      demandNoMirror(repository)
      return new Proof<Reach['write'] & Purposes['change']>(actor as SignedIn, repository, need.level)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'level-missing') throw error
      const repository = await openBy({ ...writing, level: 'read', signIn: true })
      demandSignOn(actor, repository.owner.id)
      const branches = await listMaintained(repository, (id) => mayWrite(actor, id))
      if (branches.length === 0) throw error
      demandNoMirror(repository)
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

    /** Opens a repository to move its branches. */
    enterToPush: (actor: Actor, address: RepositoryAddress, need: RepositoryNeed<'write'>): Promise<PushAccess> =>
      enterToPush(actor, need, (asked) => open(actor, address, asked)),

    /** The same, also under a former name. */
    enterAnywhereToPush: (
      actor: Actor,
      address: RepositoryAddress,
      need: RepositoryNeed<'write'>,
    ): Promise<PushAccess> => enterToPush(actor, need, (asked) => openAnywhere(actor, address, asked)),

    /**
     * Opens a repository to read it, which may need no account. For a renamed one it throws `moved` with its id, if the
     * caller may see it.
     */
    open,

    /** The same, also under a former name, for clients that cannot be redirected, as git cannot during a push. */
    openAnywhere,

    /** Opens a repository to read things that not everyone may see. */
    look: async <L extends HeldLevel>(actor: Actor, address: RepositoryAddress, need: RepositoryNeed<L>) =>
      new Proof<Reach[L] & Purposes['look']>(
        actor as SignedIn,
        await open(actor, address, { ...need, signIn: true }),
        need.level,
      ),

    /** Opens a repository to change it. */
    enter: async <L extends HeldLevel>(actor: Actor, address: RepositoryAddress, need: RepositoryNeed<L>) =>
      new Proof<Reach[L] & Purposes['change']>(
        actor as SignedIn,
        await open(actor, address, { ...need, writes: true }),
        need.level,
      ),

    /** The same, also under a former name. */
    enterAnywhere: async <L extends HeldLevel>(actor: Actor, address: RepositoryAddress, need: RepositoryNeed<L>) =>
      new Proof<Reach[L] & Purposes['change']>(
        actor as SignedIn,
        await openAnywhere(actor, address, { ...need, writes: true }),
        need.level,
      ),
  }
}

/** A repository that the actor may not see is not found. Of private ones, a token sees only those that it covers. */
export const maySee = (actor: Actor, repository: RepositorySight): boolean =>
  isWithinReach(actor, repository) && !(repository.isPrivate && lacksSignOn(actor, repository.owner.id))

/** The repositories of these ids that the actor may see. */
export async function readSeen(db: Db, actor: Actor, ids: Iterable<number>): Promise<Map<number, OpenRepository>> {
  const found = await readRepositories(db, actor, ids)
  for (const [id, repository] of found) if (!maySee(actor, repository)) found.delete(id)
  return found
}

/** The same, but reads only what decides whether the actor may see them. */
export async function findSeen(db: Db, actor: Actor, ids: Iterable<number>): Promise<Map<number, RepositorySight>> {
  const sights = await readSights(db, actor, ids)
  return new Map(sights.filter((sight) => maySee(actor, sight)).map((sight) => [sight.id, sight]))
}

/** A token without single sign-on has no more rights to a public repository than anyone. */
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

/** For effects of an act that is over, which refuse nobody: whether the actor may do this as well. */
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
  // For a public repository `repo` means its public part.
  const scopes = isPlainRepo && !repository.isPrivate ? (isRead ? [] : ['public_repo', 'repo']) : need.scopes
  // Reading public things needs nothing from their owner: the token's own permissions decide.
  demandGrant(actor, need, scopes, isOwn ? repository.owner : undefined)
}

/** For acts that take part in a repository without changing it: to watch, star or fork it. */
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

/** The refs of a mirror are moved by its fetches alone. */
export function demandNoMirror({ mirrorUrl }: Pick<OpenRepository, 'mirrorUrl'>): void {
  demand(
    mirrorUrl === null,
    'forbidden',
    'repository-mirrored',
    `This repository mirrors ${mirrorUrl} and takes no pushes: push there. An admin of the repository can stop mirroring.`,
  )
}

/** For changes that do not open the repository here, such as accepting an invitation. */
export function demandUnlocked(repository: OpenRepository): void {
  demand(!repository.isLocked, 'forbidden', 'repository-locked', describeLock(repository))
}

/** Admins, who can unlock it, are told which migration locks it. */
function describeLock({ level, lockMigrationId }: OpenRepository): string {
  const which = level === 'admin' && lockMigrationId !== null ? ` (number ${lockMigrationId})` : ''
  return `The repository is locked for a migration${which}: reads work, writes do not until it is unlocked.`
}
