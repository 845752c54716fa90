/**
 * What a client sends ahead on one connection is begun once the answer before it is out: else a single write of some hundred
 * requests would have as many answers made and held at once. Meanwhile no more is read of the connection than came at once.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Who has sent more ahead is let go. */
export const mostAhead = 100

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]
type Line = { isBusy: boolean; ahead: Exchange[] }

export function serveInTurn(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[]
  const lines = new WeakMap<Socket, Line>()

  function begin(line: Line, [request, response]: Exchange): void {
    line.isBusy = true
    response.once('close', () => goOn(line, request.socket))
    for (const listener of listeners) listener.call(server, request, response)
  }

  function goOn(line: Line, socket: Socket): void {
    line.isBusy = false
    if (socket.destroyed) line.ahead = []
    const next = line.ahead.shift()
    if (!next) return
    if (line.ahead.length > 0) pauseSoon(line, socket)
    else socket.resume()
    begin(line, next)
  }

  /** Once the parser is through with what it has: with each request it would have Node read on. */
  function pauseSoon(line: Line, socket: Socket): void {
    setImmediate(() => line.ahead.length > 0 && socket.pause())
  }

  function putBehind(line: Line, exchange: Exchange, socket: Socket): void {
    if (line.ahead.length === mostAhead) socket.destroy()
    if (socket.destroyed) return
    if (line.ahead.push(exchange) === 1) pauseSoon(line, socket)
  }

  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    let line = lines.get(socket)
    if (!line) {
      line = { isBusy: false, ahead: [] }
      lines.set(socket, line)
    }
    if (line.isBusy) putBehind(line, [request, response], socket)
    else begin(line, [request, response])
  })
}
