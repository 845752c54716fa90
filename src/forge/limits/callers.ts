/** Whose budget a request is on: an address, a user (all their tokens together), an installation, a repository's runs. */
import type { Account, Actor } from '../../accounts/actor.ts'
import type { Token } from '../../accounts/tokens/token.ts'
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
    | { readonly accountId: number; readonly selected: number | undefined }
    | { readonly repositoryId: number }
}

/** One object for as long as the credential is one: what the limits make for a caller is kept with it. */
export function makeCallers(figures: Figures): (actor: Actor) => RateCaller {
  const known = new WeakMap<Account | Token, RateCaller>()
  return (actor) => {
    const { account, address } = actor
    if (!account) {
      return { key: `ip:${address}`, label: address, isKnown: false, core: figures.anonymous, tokenId: undefined }
    }
    const token = tokenOf(actor)
    const caller = known.get(token ?? account) ?? describe(account, token, figures)
    known.set(token ?? account, caller)
    return caller
  }
}

function describe(account: Account, token: Token | undefined, figures: Figures): RateCaller {
  const common = { isKnown: true, tokenId: token?.id }
  if (token?.kind === 'installation') {
    const { accountId, repositories } = token
    const label = `installation ID ${accountId}`
    const grows = { accountId, selected: Array.isArray(repositories) ? repositories.length : undefined }
    return { ...common, key: `installation:${accountId}`, label, core: figures.installation, grows }
  }
  if (token?.kind === 'workflow') {
    const repositoryId: number = Array.isArray(token.repositories) ? token.repositories[0] : 0
    const label = `repository ID ${repositoryId}`
    return { ...common, key: `workflow:${repositoryId}`, label, core: figures.workflow, grows: { repositoryId } }
  }
  return { ...common, key: `user:${account.id}`, label: `user ID ${account.id}`, core: figures.user }
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
      return { limit: caller.isKnown ? figures.graphql : 0, windowMs: hourMs }
    case 'audit_log':
      return { limit: figures['audit-log'], windowMs: hourMs }
    case 'lfs':
      return { limit: caller.isKnown ? figures.lfs : figures['lfs-anonymous'], windowMs: minuteMs }
  }
}
