/** Requests wait until caches know what other servers have committed; what asks for the server's health does not. */
import type { IncomingMessage, Server } from 'node:http'
import type { Awaitable } from '../base/awaitable.ts'
import { wrapRequests } from './wrap-requests.ts'

/** Nothing that was read before is in these, and they are told while the database is away. */
const ofHealth = /^\/(?:healthz|readyz|metrics)(?:\?|$)/

type Needs = {
  readonly catchUp: () => Awaitable<void>
  /** Whether this request's wire catches up by itself. */
  readonly isLeft: (request: IncomingMessage) => boolean
}

/** Before requests are paced: many wait for one look, and are then begun little by little. */
export function catchUpFirst(server: Server, { catchUp, isLeft }: Needs): void {
  wrapRequests(server, (goOn) => (request, response) => {
    const caughtUp = ofHealth.test(request.url ?? '') || isLeft(request) ? undefined : catchUp()
    if (caughtUp) void caughtUp.then(() => goOn(request, response))
    else goOn(request, response)
  })
}
