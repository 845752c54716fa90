/**
 * Stops a burst of requests from keeping the event loop: in one turn of it they are begun for some milliseconds only, then
 * the sockets are looked at again. What asks for the server's health is begun at once, so that it is answered in any load.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

const sliceMs = 10
/** The loop accepts one connection in each turn: where one came there may be more, and with long turns hundreds would wait for seconds. */
const sliceAfterConnectionMs = 1
const urgent = /^\/(?:healthz|readyz)(?:\?|$)/

const isUrgent = ({ url = '' }: IncomingMessage): boolean => urgent.test(url)

export function paceRequests(server: Server, serve: RequestListener): RequestListener {
  let hasAccepted = false
  server.on('connection', () => {
    hasAccepted = true
  })
  /** As many at most as there are connections, and what each of them has sent ahead. */
  let waiting: (readonly [IncomingMessage, ServerResponse & { req: IncomingMessage }])[] = []
  let sliceEnd = 0
  let isInSlice = false

  function hasTime(): boolean {
    if (!isInSlice) {
      isInSlice = true
      sliceEnd = performance.now() + (hasAccepted ? sliceAfterConnectionMs : sliceMs)
      hasAccepted = false
      setImmediate(endSlice)
    }
    return performance.now() < sliceEnd
  }

  function endSlice(): void {
    isInSlice = false
    if (waiting.length === 0) return
    const held = waiting
    waiting = []
    let at = 0
    while (at < held.length && hasTime()) serve(...held[at++]!)
    // Those that came meanwhile stand behind.
    if (at < held.length) waiting = [...held.slice(at), ...waiting]
  }

  return (request, response) => {
    if ((waiting.length === 0 && hasTime()) || isUrgent(request)) serve(request, response)
    else waiting.push([request, response])
  }
}
