/** Creating a repository: the proof that the caller may create one of this owner with the credential in use. */
import type { SignedIn } from '../../accounts/actor.ts'
import { hasPermission } from '../../accounts/tokens/token.ts'
import { demand } from '../../lib/failure.ts'
import type { Person } from '../person.ts'
import { hasScopes, reachAt, tokenOf } from './required-grant.ts'

/** Creating a repository or a fork requires this proof. Only `demand` makes one, after a check. */
export class Creation {
  readonly #actor: SignedIn
  readonly owner: Person

  private constructor(actor: SignedIn, owner: Person) {
    this.#actor = actor
    this.owner = owner
  }

  /** A new repository is in no selection, so a token with permissions must cover all repositories of the owner. */
  static demand(actor: SignedIn, owner: Person): Creation {
    const token = tokenOf(actor)
    const reach = token && !hasScopes(token) ? reachAt(token, owner) : undefined
    const isFree = !token || hasScopes(token)
    demand(
      isFree || (reach?.repositories === 'all' && hasPermission(reach, 'administration', 'write')),
      'forbidden',
      'creation-outside-token',
      `Resource not accessible: to make a repository the token must be for all repositories of ${owner.login}, with the permission administration=write.`,
    )
    return new Creation(actor, owner)
  }

  get actor(): SignedIn {
    return this.#actor
  }
}
