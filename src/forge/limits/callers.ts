/**
 * The caller whose rate budget a request uses: an address, a user with all tokens, an installation, or a repository's
 * workflow runs.
 */
import type { Account, Actor, AppIdentity } from '../../accounts/actor.ts'
import type { Token } from '../../accounts/tokens/token.ts'
import { networkOf } from '../../lib/network.ts'
import { tokenOf } from '../access/required-grant.ts'
import type { Figures } from './figures.ts'

export const resources = ['core', 'search', 'code_search', 'graphql', 'audit_log', 'lfs'] as const
export type Resource = (typeof resources)[number]

export type RateCaller = {
  /** For example `user:7`: counts are stored under it. */
  readonly key: string
  /** The name in messages that refuse a request. */
  readonly label: string
  readonly isKnown: boolean
  /** Requests per core window. */
  readonly core: number
  readonly tokenId: number | undefined
  /** The facts that determine `core` if it differs within a class; see plan-quotas.ts. */
  readonly grows?:
    | {
        readonly accountId: number
        readonly selected: number | undefined
        readonly installationId?: number | undefined
      }
    | { readonly repositoryId: number }
    /** An app itself, by its owner's plan. */
    | { readonly ownerId: number }
    /** An app acting for a user. */
    | { readonly appId: number; readonly userId: number }
  /** The address, for limits per user and address. */
  readonly address?: string
}

/** Returns the same object for the same credential: limits cache data by it. */
export function makeCallers(figures: Figures): (actor: Actor) => RateCaller {
  const known = new WeakMap<Account | Token | AppIdentity, RateCaller>()
  return (actor) => {
    const { account, address, credential } = actor
    if (credential.kind === 'app') {
      const caller = known.get(credential.app) ?? describeApp(credential.app, figures)
      known.set(credential.app, caller)
      return caller
    }
    if (!account) {
      const key = `ip:${networkOf(address)}`
      return { key, label: address, isKnown: false, core: figures.anonymous, tokenId: undefined }
    }
    const token = tokenOf(actor)
    const caller = known.get(token ?? account) ?? describe(account, token, figures)
    known.set(token ?? account, caller)
    return caller
  }
}

const describeApp = ({ id, ownerId }: AppIdentity, figures: Figures): RateCaller => ({
  ...{ isKnown: true, tokenId: undefined, grows: { ownerId } },
  ...{ key: `app:${id}`, label: `app ID ${id}`, core: figures['oauth-app'] },
})

function describe(account: Account, token: Token | undefined, figures: Figures): RateCaller {
  const common = { isKnown: true, tokenId: token?.id }
  if (token?.kind === 'installation') {
    const { accountId, repositories } = token
    const installationId = token.app?.installationId
    const selected = Array.isArray(repositories) ? repositories.length : undefined
    const id = installationId ?? accountId
    // An installation token that an admin made for an account has no installation behind it.
    const key = installationId === undefined ? `installation-of:${accountId}` : `installation:${installationId}`
    const grows = { accountId, selected, installationId }
    return { ...common, key, label: `installation ID ${id}`, core: figures.installation, grows }
  }
  if (token?.kind === 'workflow') {
    const repositoryId: number = Array.isArray(token.repositories) ? token.repositories[0] : 0
    const label = `repository ID ${repositoryId}`
    return { ...common, key: `workflow:${repositoryId}`, label, core: figures.workflow, grows: { repositoryId } }
  }
  const own = { ...common, key: `user:${account.id}`, label: `user ID ${account.id}`, core: figures.user }
  // All requests of a user count together: requests through an app with a higher limit leave less for the others.
  return token?.app ? { ...own, grows: { appId: token.app.id, userId: account.id } } : own
}

/** Anonymous callers have none. A repository's workflow runs have no more points than requests. */
function pointsOf({ isKnown, grows, core }: RateCaller, figures: Figures): number {
  if (!isKnown) return 0
  return grows && 'repositoryId' in grows ? Math.min(core, figures.graphql) : figures.graphql
}

export type Allowance = { readonly limit: number; readonly windowMs: number }

export function allowanceOf(caller: RateCaller, resource: Resource, figures: Figures): Allowance {
  const hourMs = figures.hour * 1000
  const minuteMs = figures.minute * 1000
  switch (resource) {
    case 'core':
      return { limit: caller.core, windowMs: hourMs }
    case 'search':
      return { limit: caller.isKnown ? figures.search : figures['search-anonymous'], windowMs: minuteMs }
    case 'code_search':
      return { limit: figures['code-search'], windowMs: minuteMs }
    case 'graphql':
      return { limit: pointsOf(caller, figures), windowMs: hourMs }
    case 'audit_log':
      return { limit: figures['audit-log'], windowMs: hourMs }
    case 'lfs':
      return { limit: caller.isKnown ? figures.lfs : figures['lfs-anonymous'], windowMs: minuteMs }
  }
}
