/**
 * Stops one write of hundreds of requests from having all their answers made and held at once: pipelined requests on a
 * connection start after the previous answer is sent. Meanwhile no more is read from the connection than arrived
 * together.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Exchange = readonly [request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }]

/** A client that has sent more ahead gets these answers, and is disconnected. */
export const mostAhead = 100

type Line = {
  isBusy: boolean
  ahead: Exchange[]
  /** The last request that was read, started or not. */
  newest: Exchange
  /** No more requests are taken from this connection. */
  isOver: boolean
  /** Called once all taken requests are answered. */
  atEnd?: () => void
}

const lines = new WeakMap<Socket, Line>()

export function answerInOrder(serve: RequestListener): RequestListener {
  function begin(line: Line, [request, response]: Exchange): void {
    line.isBusy = true
    response.once('close', () => beginNext(line, request.socket))
    serve(request, response)
  }

  function beginNext(line: Line, socket: Socket): void {
    line.isBusy = false
    // After an answer with `Connection: close` nothing is processed or sent (RFC 9112, section 9.6).
    if (socket.destroyed || socket.writableEnded) {
      line.ahead = []
      return
    }
    const next = line.ahead.shift()
    if (!next) return void line.atEnd?.()
    if (line.ahead.length > 0) pauseSoon(line, socket)
    else if (!line.isOver) socket.resume()
    begin(line, next)
  }

  return (request, response) => {
    const exchange: Exchange = [request, response]
    const line = lines.get(request.socket) ?? { isBusy: false, ahead: [], newest: exchange, isOver: false }
    lines.set(request.socket, line)
    if (line.isOver) return
    line.newest = exchange
    if (line.isBusy) putBehind(line, exchange, request.socket)
    else begin(line, exchange)
  }
}

/** Pauses after the parser has finished what it has: with each request it would make Node read on. */
function pauseSoon(line: Line, socket: Socket): void {
  setImmediate(() => line.ahead.length > 0 && socket.pause())
}

function putBehind(line: Line, exchange: Exchange, socket: Socket): void {
  if (socket.destroyed) return
  if (line.ahead.push(exchange) === 1) pauseSoon(line, socket)
  if (line.ahead.length < mostAhead) return
  const [, response] = exchange
  response.shouldKeepAlive = false
  line.isOver = true
}

/**
 * For input on a connection that can't be parsed: earlier requests are answered first (RFC 9112, section 9.3.2), unless
 * the fault is in the body of the one being answered. Only the first fault counts.
 */
export function afterAnswers(socket: Socket, act: () => void): void {
  const line = lines.get(socket)
  if (!line?.isBusy) return void act()
  if (line.atEnd) return
  const [newest] = line.newest
  if (!newest.complete && !line.ahead.pop()) return void act()
  line.isOver = true
  line.atEnd = act
  socket.pause()
}
