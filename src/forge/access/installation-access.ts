/** The proof that an installation makes the request, by its own token. */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import type { Token } from '../../accounts/tokens/token.ts'
import { Failure } from '../../lib/failure.ts'
import { demandTokenKind, type RequiredGrant, tokenOf } from './required-grant.ts'

/** Only `demand` makes one, after a check. */
export class InstallationToken {
  readonly #actor: SignedIn
  readonly token: Token
  readonly installationId: number

  private constructor(actor: SignedIn, token: Token, installationId: number) {
    this.#actor = actor
    this.token = token
    this.installationId = installationId
  }

  static demand(actor: Actor, need: RequiredGrant): InstallationToken {
    requireSignIn(actor)
    demandTokenKind(actor, need)
    const token = tokenOf(actor)
    const id = token?.app?.installationId
    if (!token || id === undefined)
      throw new Failure('forbidden', 'token-kind', 'Resource not accessible: use the token of an installation.')
    return new InstallationToken(actor, token, id)
  }

  get actor(): SignedIn {
    return this.#actor
  }
}
