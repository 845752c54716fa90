/** The proof that a person is signed in with a credential that allows the act. */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { changesOwn, demandGrant, demandTokenKind, type RequiredGrant } from './required-grant.ts'

/** Acts on a person's own things require this proof. Only `demand` makes one, after a check. */
export class SelfAccess {
  readonly #actor: SignedIn

  private constructor(actor: SignedIn) {
    this.#actor = actor
  }

  static demand(actor: Actor, need: RequiredGrant): SelfAccess {
    requireSignIn(actor)
    demandTokenKind(actor, need)
    demandGrant(actor, need, need.scopes, changesOwn(need) ? actor.account : undefined)
    return new SelfAccess(actor)
  }

  get actor(): SignedIn {
    return this.#actor
  }
}
