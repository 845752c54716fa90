/** The context of the calls of one HTTP request. It is a class, since one is made for each request and an object literal with a getter costs microseconds. */
import type { FastifyReply } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import type { Call } from './method.ts'
import type { Uploads } from './uploads/large-body.ts'

export class HttpCall implements Call {
  actor: Actor
  readonly requestId: string
  readonly uploads: Uploads
  readonly setSession: (token: string | undefined) => void
  readonly #reply: FastifyReply
  #gone: AbortController | undefined

  constructor(actor: Actor, reply: FastifyReply, uploads: Uploads, setSession: HttpCall['setSession']) {
    this.actor = actor
    this.uploads = uploads
    this.requestId = reply.request.id
    this.setSession = setSession
    this.#reply = reply
  }

  /** The controller is made on demand, since few calls wait. */
  get signal(): AbortSignal {
    if (!this.#gone) {
      const gone = new AbortController()
      this.#gone = gone
      this.#reply.raw.once('close', () => gone.abort())
    }
    return this.#gone.signal
  }
}
