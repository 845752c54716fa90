/** The caller whose rate budget a request uses: an address, a user with all tokens, an installation, or a repository's workflow runs. */
import type { Account, Actor, AppIdentity } from '../../accounts/actor.ts'
import type { Token } from '../../accounts/tokens/token.ts'
import { networkOf } from '../../lib/network.ts'
import { tokenOf } from '../access/need.ts'
import type { Figures } from './figures.ts'

export const resources = ['core', 'search', 'code_search', 'graphql', 'audit_log', 'lfs'] as const
export type Resource = (typeof resources)[number]

export type RateCaller = {
  /** `user:7`: counts are kept under it. */
  readonly key: string
  /** As a refusal names it. */
  readonly label: string
  readonly isKnown: boolean
  /** Requests in a core window. */
  readonly core: number
  readonly tokenId: number | undefined
  /** What `core` must be measured by, where it is not the same for all of a class; see plan-quotas.ts. */
  readonly grows?:
    | {
        readonly accountId: number
        readonly selected: number | undefined
        readonly installationId?: number | undefined
      }
    | { readonly repositoryId: number }
    /** An app itself, by the plan of who owns it. */
    | { readonly ownerId: number }
    /** An app that acts for a user. */
    | { readonly appId: number; readonly userId: number }
  /** Where it asks from, for what is counted by user and address. */
  readonly address?: string
}

/** One object for as long as the credential is one: what the limits make for a caller is kept with it. */
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
    // One that an admin made for an account has no installation behind it.
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
  // All of a user's requests are one count: those of an app with a higher limit leave less for the others.
  return token?.app ? { ...own, grows: { appId: token.app.id, userId: account.id } } : own
}

/** Who has not signed in has none. Of a repository's runs it is no more than what they have in all. */
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
