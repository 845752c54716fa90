/**
 * The rights that a token needs before its user may grant rights to an app: a weak token must not create a strong one.
 */
import type { Actor } from '../../accounts/actor.ts'
import type { AccessLevel } from '../../accounts/tokens/token.ts'
import { demandGrant, tokenOf } from '../access/required-grant.ts'
import type { Permissions } from './app.ts'

/**
 * The scopes that protect the same things elsewhere; all of them are needed. Permissions not listed concern
 * repositories, private ones included.
 */
const scopesOf: Readonly<Record<string, (level: AccessLevel) => readonly string[]>> = {
  // An admin of a repository may delete it.
  administration: (level) => (level === 'read' ? ['repo'] : ['repo', 'delete_repo']),
  members: () => ['admin:org'],
  organization_administration: () => ['admin:org'],
  organization_events: () => ['read:org'],
  organization_hooks: () => ['admin:org_hook'],
  organization_plan: () => ['admin:org'],
  organization_projects: () => ['admin:org'],
  organization_secrets: () => ['admin:org'],
  organization_user_blocking: () => ['admin:org'],
  profile: () => ['user'],
  email_addresses: () => ['user:email'],
  followers: () => ['user:follow'],
  watching: () => ['notifications'],
  starring: () => ['public_repo'],
  datasets: (level) => [level === 'read' ? 'dataset:read' : 'dataset'],
}

const needed = ([name, level]: readonly [string, AccessLevel]): readonly string[] =>
  Object.hasOwn(scopesOf, name) ? scopesOf[name]!(level) : ['repo']

/** A session is the account itself and may grant everything. */
export const demandMayGrant = (actor: Actor, permissions: Permissions): void =>
  demandEvery(actor, Object.entries(permissions).flatMap(needed))

export function demandEvery(actor: Actor, scopes: readonly string[]): void {
  if (!tokenOf(actor)) return
  for (const scope of new Set(scopes)) demandGrant(actor, { tokens: ['classic'], scopes: [scope], permissions: [] })
}
