/** Oneself: the proof that a person has signed in, by a credential of their own that was given what the act needs. */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { changesOwn, demandGrant, demandTokenKind, type Need } from './need.ts'

/** Acts on a person's own things take it. Only `demand` makes one, which asks. */
export class Self {
  readonly #actor: SignedIn

  private constructor(actor: SignedIn) {
    this.#actor = actor
  }

  static demand(actor: Actor, need: Need): Self {
    requireSignIn(actor)
    demandTokenKind(actor, need)
    demandGrant(actor, need, need.scopes, changesOwn(need) ? actor.account : undefined)
    return new Self(actor)
  }

  get actor(): SignedIn {
    return this.#actor
  }
}
