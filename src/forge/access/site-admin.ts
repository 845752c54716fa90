/** Admins of the server: the proof of being one, by a credential that was given it. */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { demand } from '../../base/failure.ts'
import { demandGrant, demandTokenKind, isSiteAdmin, type Need } from './need.ts'

/** Acts of admins take it. Only `demand` makes one, which asks. */
export class SiteAdmin {
  readonly #actor: SignedIn

  private constructor(actor: SignedIn) {
    this.#actor = actor
  }

  static demand(actor: Actor, need: Need): SiteAdmin {
    requireSignIn(actor)
    demandTokenKind(actor, need)
    demandGrant(actor, need)
    demand(isSiteAdmin(actor), 'forbidden', 'not-site-admin', 'Only an admin of this server may do this.')
    return new SiteAdmin(actor)
  }

  get actor(): SignedIn {
    return this.#actor
  }
}
