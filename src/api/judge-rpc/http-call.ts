/** The context of the calls of one HTTP request. */
import type { ServerResponse } from 'node:http'
import type { Actor } from '../../accounts/actor.ts'
import { onceClosed } from '../../http/once-closed.ts'
import type { JudgeCall } from './method.ts'
import type { Uploads } from './uploads/large-body.ts'

export type HttpCallNeeds = {
  readonly actor: Actor
  readonly requestId: string
  readonly response: ServerResponse
  readonly uploads: Uploads
  /** The present caller: by the given session, by none (null), or by the request's own credential (undefined). */
  identify(session: string | null | undefined): Promise<Actor>
  setSession(token: string | undefined): void
  reserve(bytes: number): Promise<void>
}

export class HttpCall implements JudgeCall {
  actor: Actor
  readonly requestId: string
  readonly uploads: Uploads
  readonly #response: ServerResponse
  readonly #identify: HttpCallNeeds['identify']
  readonly #setCookie: HttpCallNeeds['setSession']
  readonly #reserve: HttpCallNeeds['reserve']
  /** The session that a call of this request started; null once a call has ended it. */
  #session: string | null | undefined
  #gone: AbortController | undefined

  constructor({ actor, requestId, response, uploads, identify, setSession, reserve }: HttpCallNeeds) {
    this.actor = actor
    this.uploads = uploads
    this.requestId = requestId
    this.#identify = identify
    this.#setCookie = setSession
    this.#reserve = reserve
    this.#response = response
  }

  setSession(token: string | undefined): void {
    this.#session = token ?? null
    this.#setCookie(token)
  }

  reserve(bytes: number): Promise<void> {
    return this.#reserve(bytes)
  }

  async identifyAgain(): Promise<void> {
    this.actor = await this.#identify(this.#session)
  }

  /**
   * The controller is made on demand, since few calls wait. The client of a batch may have disconnected before this
   * call began.
   */
  get signal(): AbortSignal {
    if (!this.#gone) {
      const gone = new AbortController()
      this.#gone = gone
      onceClosed(this.#response, () => gone.abort())
    }
    return this.#gone.signal
  }
}
