/** Puts a step before all that listens for requests so far, which decides whether and when each request goes on to them. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

export type Exchange = readonly [request: IncomingMessage, response: ServerResponse]

type GoOn = (request: IncomingMessage, response: ServerResponse) => void

export function wrapRequests(server: Server, makeStep: (goOn: GoOn) => RequestListener): void {
  const listeners = server.listeners('request') as RequestListener[]
  const goOn: GoOn = (request, response) => {
    for (const listener of listeners) listener.call(server, request, response)
  }
  server.removeAllListeners('request').on('request', makeStep(goOn))
}
