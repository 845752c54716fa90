/**
 * Doors: each checks who may use a route, and returns the module's proof of access. The module itself decides on
 * sign-in, tokens and rights.
 */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import type { TokenKind } from '../../accounts/tokens/token-text.ts'
import type { Level } from '../../forge/access/level.ts'
import type {
  Access,
  HeldLevel,
  Opening,
  PushAccess,
  RepositoryAddress,
  RepositoryNeed,
} from '../../forge/access/opening.ts'
import type { MembershipLevel, OrganisationAccess, OrganisationDoor } from '../../forge/access/organisation-access.ts'
import type { OpenRepository } from '../../forge/access/repository.ts'
import {
  demandTokenKind,
  everyTokenKind,
  personalTokenKinds,
  type RequiredGrant,
} from '../../forge/access/required-grant.ts'
import { SelfAccess } from '../../forge/access/self-access.ts'
import { SiteAdmin } from '../../forge/access/site-admin.ts'
import type { Installations } from '../../forge/apps/installations/installations.ts'
import type { AppRegistration } from '../../forge/apps/registration/app-registration.ts'
import type { Attachments } from '../../forge/attachments/attachments.ts'
import type { Params } from './address.ts'
import { readId } from './query.ts'

export type Door<T> = {
  readonly kind:
    | 'anyone'
    | 'signed-in'
    | 'site-admin'
    | 'repository'
    | 'organisation'
    | 'app'
    | 'client'
    | 'installation'
    | 'owner'
  readonly level?: Level
  readonly membership?: MembershipLevel
  readonly signIn: boolean
  /** Whether the route changes the repository, at whatever level. */
  readonly changes?: boolean
  readonly tokens: readonly TokenKind[]
  readonly scopes: readonly string[]
  /** Called once per route, since its needs are the same for every request. */
  opener(need: RequiredGrant): Open<T>
}

/** The services that doors call. */
export type DoorServices = {
  readonly opening: Opening
  readonly organisationDoor: OrganisationDoor
  readonly apps: AppRegistration
  readonly installations: Installations
  readonly attachments: Attachments
}

export type Open<T> = (services: DoorServices, actor: Actor, params: Params) => Promise<T> | T

export const anyone: Door<undefined> = {
  kind: 'anyone',
  signIn: false,
  tokens: everyTokenKind,
  scopes: [],
  opener: () => () => undefined,
}

/** The caller's own data. */
export const signedIn: Door<SelfAccess> = {
  kind: 'signed-in',
  signIn: true,
  tokens: personalTokenKinds,
  scopes: [],
  opener: (need) => (_services, actor) => SelfAccess.demand(actor, need),
}

/** Any caller with an account and any kind of token: users, installations, workflow runs. */
export const authenticated: Door<SignedIn> = {
  kind: 'signed-in',
  signIn: true,
  tokens: everyTokenKind,
  scopes: [],
  opener: (need) => (_services, actor) => {
    requireSignIn(actor)
    demandTokenKind(actor, need)
    return actor
  },
}

export const siteAdmin: Door<SiteAdmin> = {
  kind: 'site-admin',
  signIn: true,
  tokens: ['classic'],
  scopes: ['site_admin'],
  opener: (need) => (_services, actor) => SiteAdmin.demand(actor, need),
}

const ofRepository = { kind: 'repository', tokens: everyTokenKind, scopes: ['repo'] } as const

const addressOf = ({ owner = '', repo = '', repository_id: id }: Params): RepositoryAddress =>
  id === undefined ? { owner, name: repo } : { id: readId(id) }

/** A repository to read. Public ones are open to anyone. */
export const readable: Door<OpenRepository> = {
  ...ofRepository,
  level: 'read',
  signIn: false,
  opener(need) {
    const reading: RepositoryNeed = { ...need, level: 'read', signIn: false, writes: false }
    return (services, actor, params) => services.opening.open(actor, addressOf(params), reading)
  },
}

/** A part of a repository that not every reader sees. */
export const seen = <L extends HeldLevel>(level: L): Door<Access<L, 'look'>> => ({
  ...ofRepository,
  level,
  signIn: true,
  opener(need) {
    const looking: RepositoryNeed<L> = { ...need, level, signIn: true, writes: false }
    return (services, actor, params) => services.opening.look(actor, addressOf(params), looking)
  },
})

/**
 * A repository to change. `evenArchived` also allows archived ones; `evenBlocked` also allows users whom its owner has
 * blocked.
 */
export const changed = <L extends HeldLevel>(
  level: L,
  { evenArchived = false, evenBlocked = false } = {},
): Door<Access<L>> => ({
  ...ofRepository,
  level,
  signIn: true,
  changes: true,
  opener(need) {
    const changing: RepositoryNeed<L> = { ...need, level, signIn: true, writes: true, evenArchived, evenBlocked }
    return (services, actor, params) => services.opening.enter(actor, addressOf(params), changing)
  },
})

/**
 * A repository in which branches are moved: by those who may write, and by those whom a pull's author lets push to its
 * head.
 */
export const pushed: Door<PushAccess> = {
  ...ofRepository,
  level: 'write',
  signIn: true,
  changes: true,
  opener(need) {
    const pushing: RepositoryNeed<'write'> = { ...need, level: 'write', signIn: true, writes: true }
    return (services, actor, params) => services.opening.enterToPush(actor, addressOf(params), pushing)
  },
}

/** Admins may do it to anyone, other readers only to themselves (`username`). */
export const administeredOrOneself: Door<Access<'read'>> = {
  ...ofRepository,
  level: 'admin',
  signIn: true,
  opener(need) {
    const common = { ...need, signIn: true, writes: true } as const
    const ofOthers: RepositoryNeed<'admin'> = { ...common, level: 'admin' }
    const ofOneself: RepositoryNeed<'read'> = { ...common, level: 'read', evenBlocked: true }
    return (services, actor, params) => {
      const isOneself = params.username?.toLowerCase() === actor.account?.name.toLowerCase()
      return isOneself
        ? services.opening.enter(actor, addressOf(params), ofOneself)
        : services.opening.enter(actor, addressOf(params), ofOthers)
    }
  },
}

/** Deleting one's own content in a repository, also by users whom its owner has blocked since. */
export const takenBack = changed('read', { evenBlocked: true })

/** An organisation as anyone sees it; scopes and permissions decide which tokens of its members and owners see more. */
export const seenOrganisation: Door<OrganisationAccess<'anyone'>> = {
  kind: 'organisation',
  membership: 'anyone',
  signIn: false,
  tokens: everyTokenKind,
  scopes: [],
  opener:
    (need) =>
    (services, actor, { org = '' }) =>
      services.organisationDoor.look(actor, org, need, false),
}

/** An organisation whose members see more than others, for lists that must not silently omit entries. */
export const seenFromWithin: Door<OrganisationAccess<'anyone'>> = {
  ...seenOrganisation,
  opener:
    (need) =>
    (services, actor, { org = '' }) =>
      services.organisationDoor.look(actor, org, need, true),
}

export const organisation = <N extends 'member' | 'owner'>(membership: N): Door<OrganisationAccess<N>> => ({
  kind: 'organisation',
  membership,
  signIn: true,
  tokens: personalTokenKinds,
  scopes: membership === 'member' ? ['read:org'] : ['admin:org'],
  opener:
    (need) =>
    (services, actor, { org = '' }) =>
      services.organisationDoor.open(actor, org, membership, need),
})
