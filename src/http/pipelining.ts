/**
 * Stops a single write of some hundred requests from having as many answers made and held at once: what a client sends ahead
 * on one connection is begun once the answer before it is out. Meanwhile no more is read of the connection than came at once.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Exchange = readonly [request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }]

/** Who has sent more ahead is answered these, and let go. */
export const mostAhead = 100

type Line = {
  isBusy: boolean
  ahead: Exchange[]
  /** The last that was read, begun or not. */
  newest: Exchange
  /** Nothing more is taken of this connection. */
  isOver: boolean
  /** What is done once all that was taken is answered. */
  atEnd?: () => void
}

const lines = new WeakMap<Socket, Line>()

export function serveInTurn(serve: RequestListener): RequestListener {
  function begin(line: Line, [request, response]: Exchange): void {
    line.isBusy = true
    response.once('close', () => beginNext(line, request.socket))
    serve(request, response)
  }

  function beginNext(line: Line, socket: Socket): void {
    line.isBusy = false
    // After an answer that says `close` nothing is carried out, nor said (RFC 9112, section 9.6).
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

/** Once the parser is through with what it has: with each request it would have Node read on. */
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
 * For what can't be read of a connection: the requests before it are answered first (RFC 9112, section 9.3.2), unless it is in
 * the body of the one that is being answered. Only the first such thing counts.
 */
export function whenAnswered(socket: Socket, act: () => void): void {
  const line = lines.get(socket)
  if (!line?.isBusy) return void act()
  if (line.atEnd) return
  const [newest] = line.newest
  if (!newest.complete && !line.ahead.pop()) return void act()
  line.isOver = true
  line.atEnd = act
  socket.pause()
}
