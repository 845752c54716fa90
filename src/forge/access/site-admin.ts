/** Site admins: the proof that the caller is one, with a credential that allows it. */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import { demandGrant, demandTokenKind, hasAdminRole, type RequiredGrant } from './required-grant.ts'

/** Acts of site admins require this proof. Only `demand` makes one, after a check. */
export class SiteAdmin {
  readonly #actor: SignedIn

  private constructor(actor: SignedIn) {
    this.#actor = actor
  }

  static demand(actor: Actor, need: RequiredGrant): SiteAdmin {
    requireSignIn(actor)
    demandTokenKind(actor, need)
    // The need lists the scopes; one of them is enough, as `read:audit_log` is for the audit log.
    demandGrant(actor, need)
    demand(hasAdminRole(actor), 'forbidden', 'not-site-admin', 'Only an admin of this server may do this.')
    return new SiteAdmin(actor)
  }

  get actor(): SignedIn {
    return this.#actor
  }
}
