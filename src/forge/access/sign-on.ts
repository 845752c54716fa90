/**
 * The limits that single sign-on puts on tokens: without authorization for an organisation, a classic token is treated
 * as a stranger's.
 */
import type { Actor } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'
import { isSiteAdmin, tokenOf } from './required-grant.ts'

declare module '../../lib/failure.ts' {
  interface FailureDetail {
    /** The organisation that must authorise the token first. */
    readonly signOnFor?: number
  }
}

const none: readonly number[] = []

/**
 * The caller's organisations that require single sign-on and have not authorised the token. Tokens of apps, and those
 * for chosen repositories, are authorised when they are made. A site admin is exempt.
 */
export function listLackingSignOn(actor: Actor): readonly number[] {
  const token = tokenOf(actor)
  if (!token || token.lacksSignOnFor.length === 0 || isSiteAdmin(actor)) return none
  return token.lacksSignOnFor
}

export const lacksSignOn = (actor: Actor, organisationId: number): boolean =>
  listLackingSignOn(actor).includes(organisationId)

export const signOnNeeded = (organisationId: number): Failure =>
  new Failure(
    'forbidden',
    'sign-on-needed',
    'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
    { signOnFor: organisationId },
  )

export function demandSignOn(actor: Actor, organisationId: number): void {
  if (lacksSignOn(actor, organisationId)) throw signOnNeeded(organisationId)
}

/** For results about all of a person's organisations at once. */
export function demandSignOnEverywhere(actor: Actor): void {
  const [first] = listLackingSignOn(actor)
  if (first !== undefined) throw signOnNeeded(first)
}
