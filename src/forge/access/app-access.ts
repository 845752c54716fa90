/** Apps as callers: the proof that an app makes the request, by a signed JSON web token or a client id and secret. */
import type { Actor, AppIdentity } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'

/** Acts of an app require this proof. Only `demand` makes one, after a check. */
export class AppItself {
  readonly #actor: Actor
  readonly #app: AppIdentity

  private constructor(actor: Actor, app: AppIdentity) {
    this.#actor = actor
    this.#app = app
  }

  static demand(actor: Actor): AppItself {
    const { credential } = actor
    if (credential.kind === 'app' && credential.app.by === 'key') return new AppItself(actor, credential.app)
    throw new Failure(
      'unauthenticated',
      'web-token-needed',
      'A JSON web token could not be decoded: sign one with a key of the app and send it as Bearer.',
    )
  }

  get id(): number {
    return this.#app.id
  }

  get actor(): Actor {
    return this.#actor
  }
}

/** For acts of an app with its client id and secret, concerning the tokens issued to it. */
export class AppClient {
  readonly #actor: Actor
  readonly #app: AppIdentity

  private constructor(actor: Actor, app: AppIdentity) {
    this.#actor = actor
    this.#app = app
  }

  static demand(actor: Actor, clientId: string): AppClient {
    const { credential } = actor
    const isClient = credential.kind === 'app' && credential.app.by === 'secret'
    if (!isClient)
      throw new Failure(
        'unauthenticated',
        'client-needed',
        'Requires authentication: send the app’s client id and secret as Basic.',
      )
    if (credential.app.clientId !== clientId) throw new Failure('not-found', 'not-found', 'Not Found')
    return new AppClient(actor, credential.app)
  }

  get id(): number {
    return this.#app.id
  }

  get actor(): Actor {
    return this.#actor
  }
}
