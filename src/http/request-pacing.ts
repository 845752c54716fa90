/**
 * Stops a burst of requests from occupying the event loop: each turn starts requests for a few milliseconds only, then
 * the sockets are polled again. Health checks start at once, so that they are answered under any load.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

const sliceMs = 10
/**
 * The loop accepts one connection per turn: after one there are often more, and with long turns hundreds would wait.
 */
const sliceAfterConnectionMs = 1
const urgent = /^\/(?:healthz|readyz)(?:\?|$)/

const isUrgent = ({ url = '' }: IncomingMessage): boolean => urgent.test(url)

export function paceRequests(server: Server, serve: RequestListener): RequestListener {
  let hasAccepted = false
  server.on('connection', () => {
    hasAccepted = true
  })
  /** Bounded by the number of connections and what each has sent ahead. */
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
    // Requests that came meanwhile are behind.
    if (at < held.length) waiting = [...held.slice(at), ...waiting]
  }

  return (request, response) => {
    if ((waiting.length === 0 && hasTime()) || isUrgent(request)) serve(request, response)
    else waiting.push([request, response])
  }
}
