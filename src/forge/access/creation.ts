/** Making a repository: the proof that whoever asks may make one of this owner by the credential they ask with. */
import type { SignedIn } from '../../accounts/actor.ts'
import { hasPermission } from '../../accounts/tokens/token.ts'
import { demand } from '../../lib/failure.ts'
import type { Person } from '../person.ts'
import { hasScopes, reachAt, tokenOf } from './need.ts'

/** What is to be made, be it empty or a fork, takes it. Only `demand` makes one, which asks. */
export class Creation {
  readonly #actor: SignedIn
  readonly owner: Person

  private constructor(actor: SignedIn, owner: Person) {
    this.#actor = actor
    this.owner = owner
  }

  /** What is new is in no selection: a token with permissions must be for all repositories of the owner. */
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
