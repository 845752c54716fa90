/** Doors: who may come to a route, and what it opens for them. Sign-in, tokens and rights are decided by the room. */
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import type { TokenKind } from '../../accounts/tokens/token-text.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Level } from '../../forge/access/level.ts'
import {
  demandGrant,
  demandSiteAdmin,
  demandTokenKind,
  everyTokenKind,
  type Need,
  personalTokenKinds,
} from '../../forge/access/need.ts'
import type { RepositoryNeed } from '../../forge/access/opening.ts'
import type { OpenRepository } from '../../forge/access/repository.ts'
import type { Forge } from '../../forge/forge.ts'
import type { Nearness, Organisation } from '../../forge/people/organisations.ts'
import type { Method, Params } from './address.ts'
import { readId } from './query.ts'

export type Door<T> = {
  readonly kind: 'anyone' | 'signed-in' | 'site-admin' | 'repository' | 'organisation'
  readonly level?: Level
  readonly nearness?: Nearness
  readonly signIn: boolean
  readonly tokens: readonly TokenKind[]
  readonly scopes: readonly string[]
  /** Made once for each route: what it needs is the same for every request. */
  opener(need: Need, method: Method): Open<T>
}

export type Open<T> = (forge: Forge, actor: Actor, params: Params) => Awaitable<T>

export const anyone: Door<undefined> = {
  kind: 'anyone',
  signIn: false,
  tokens: everyTokenKind,
  scopes: [],
  opener: () => () => undefined,
}

/** A user's own things. */
export const signedIn: Door<undefined> = {
  kind: 'signed-in',
  signIn: true,
  tokens: personalTokenKinds,
  scopes: [],
  opener: (need) => (_forge, actor) => {
    requireSignIn(actor)
    demandTokenKind(actor, need)
    demandGrant(actor, need)
    return undefined
  },
}

export const siteAdmin: Door<undefined> = {
  kind: 'site-admin',
  signIn: true,
  tokens: ['classic'],
  scopes: ['site_admin'],
  opener: (need) => (_forge, actor) => {
    requireSignIn(actor)
    demandTokenKind(actor, need)
    demandGrant(actor, need)
    demandSiteAdmin(actor)
    return undefined
  },
}

/**
 * Reading what is public is for anyone, unless `signIn` says otherwise. `orOneself`: one may do it to oneself (`username`)
 * with less, namely reading. `evenArchived`: to an archived one as well.
 */
export const repository = (
  level: Level,
  { signIn = false, orOneself = false, evenArchived = false } = {},
): Door<OpenRepository> => ({
  kind: 'repository',
  level,
  signIn: signIn || level !== 'read',
  tokens: everyTokenKind,
  scopes: ['repo'],
  opener(need, method) {
    const writes = method !== 'GET' && level !== 'read'
    const ofOthers: RepositoryNeed = { ...need, level, signIn, writes, evenArchived }
    const ofOneself: RepositoryNeed = { ...ofOthers, level: 'read' }
    return (forge, actor, { owner = '', repo = '', repository_id: id, username }) => {
      const address = id === undefined ? { owner, name: repo } : { id: readId(id) }
      const isOneself = orOneself && username?.toLowerCase() === actor.account?.name.toLowerCase()
      return forge.opening.open(actor, address, isOneself ? ofOneself : ofOthers)
    }
  },
})

export const organisation = (nearness: Nearness): Door<Organisation> => ({
  kind: 'organisation',
  nearness,
  signIn: nearness !== 'anyone',
  tokens: nearness === 'anyone' ? everyTokenKind : personalTokenKinds,
  scopes: nearness === 'anyone' ? [] : nearness === 'member' ? ['read:org'] : ['admin:org'],
  opener:
    (need) =>
    (forge, actor, { org = '' }) =>
      forge.organisations.open(actor, org, nearness, need),
})
