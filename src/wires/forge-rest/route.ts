/** A route, declared in one place: where it is, who may come in and by which token, what it costs, and what it does. */
import type { Static, TSchema } from 'typebox'
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import type { TokenKind } from '../../accounts/token-text.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { PageRequest } from '../../base/page.ts'
import type { Forge } from '../../forge/forge.ts'
import type { Level } from '../../forge/level.ts'
import type { RateCaller, Resource } from '../../forge/limits/callers.ts'
import type { Charge, Limits } from '../../forge/limits/limits.ts'
import {
  demandGrant,
  demandSiteAdmin,
  demandTokenKind,
  everyTokenKind,
  type Need,
  parsePermissions,
  personalTokenKinds,
} from '../../forge/need.ts'
import type { Nearness, Organisation } from '../../forge/people/organisations.ts'
import type { RepositoryNeed } from '../../forge/repositories/opening.ts'
import type { OpenRepository } from '../../forge/repositories/repository.ts'
import type { Answer } from './answer.ts'
import { makeValidation } from './pipeline/body.ts'
import { type PageSize, type Query, readId } from './query.ts'
import type { View } from './view.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export type Call<T = unknown, B = unknown> = {
  readonly forge: Forge
  readonly limits: Limits
  readonly actor: Actor
  readonly caller: RateCaller
  /** What the door opened: a repository, an organisation. */
  readonly target: T
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: B
  readonly page: PageRequest
  readonly view: View
  /** The request's own address, absolute. */
  readonly address: string
  readonly accept: string
}

/** Who may come in, and to what. Sign-in, tokens and rights are decided by the room it asks. */
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

export type Open<T> = (forge: Forge, actor: Actor, params: Readonly<Record<string, string>>) => Awaitable<T>

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

/** `GET /repos/:owner/:repo`. */
export type Address = `${Method} /${string}`

type Declaration<T, S extends TSchema> = {
  /** The heading in docs/hosting.md, and the end of `documentation_url`. */
  id: string
  summary: string
  door: Door<T>
  /** What a validation error calls the thing. */
  resource?: string
  /** Where they differ from the door's. */
  tokens?: readonly TokenKind[]
  scopes?: readonly string[]
  /** For fine-grained and app tokens: `issues=read; pull_requests=read`. */
  permission?: string
  limit?: Resource
  points?: number
  isFree?: boolean
  createsContent?: boolean
  pageSize?: PageSize
  body?: S
  handle(call: Call<T, Static<S>>): Promise<Answer> | Answer
}

export type Route = {
  readonly method: Method
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly door: Door<unknown>
  readonly open: Open<unknown>
  readonly resource: string
  readonly need: Need
  readonly permission: string | undefined
  readonly charge: Charge
  /** A conditional request pays when its answer is news. */
  readonly laterCharge: Charge
  readonly pageSize: PageSize | undefined
  readonly takesArray: boolean
  readonly validation: ReturnType<typeof makeValidation> | undefined
  handle(call: Call): Promise<Answer> | Answer
}

export const usualPage: PageSize = { usual: 30, most: 100 }

export function route<T, S extends TSchema>(address: Address, declaration: Declaration<T, S>): Route {
  const [method, path] = address.split(' ') as [Method, string]
  const { id, summary, door, permission, body, handle } = declaration
  const charge: Charge = {
    resource: declaration.limit ?? 'core',
    endpoint: address,
    points: declaration.points ?? (method === 'GET' ? 1 : 5),
    createsContent: declaration.createsContent ?? false,
    primary: declaration.isFree ? 'free' : 'now',
  }
  const need: Need = {
    tokens: declaration.tokens ?? door.tokens,
    scopes: declaration.scopes ?? door.scopes,
    permissions: parsePermissions(permission ?? ''),
  }
  return {
    method,
    path,
    id,
    summary,
    door: door as Door<unknown>,
    resource: declaration.resource ?? 'Repository',
    need,
    open: door.opener(need, method),
    permission,
    charge,
    laterCharge: declaration.isFree ? charge : { ...charge, primary: 'later' },
    pageSize: declaration.pageSize,
    takesArray: body !== undefined && 'anyOf' in body,
    validation: body && makeValidation(body),
    handle: handle as Route['handle'],
  }
}
