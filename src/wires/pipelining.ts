/**
 * What a client sends ahead on one connection is begun once the answer before it is out: else a single write of some hundred
 * requests would have as many answers made and held at once. Meanwhile no more is read of the connection than came at once.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Exchange, wrapRequests } from './wrap-requests.ts'

/** Who has sent more ahead is let go. */
export const mostAhead = 100

type Line = { isBusy: boolean; ahead: Exchange[] }

export function serveInTurn(server: Server): void {
  const lines = new WeakMap<Socket, Line>()

  wrapRequests(server, (goOn) => {
    function begin(line: Line, [request, response]: Exchange): void {
      line.isBusy = true
      response.once('close', () => beginNext(line, request.socket))
      goOn(request, response)
    }

    function beginNext(line: Line, socket: Socket): void {
      line.isBusy = false
      if (socket.destroyed) line.ahead = []
      const next = line.ahead.shift()
      if (!next) return
      if (line.ahead.length > 0) pauseSoon(line, socket)
      else socket.resume()
      begin(line, next)
    }

    return (request, response) => {
      const { socket } = request
      let line = lines.get(socket)
      if (!line) {
        line = { isBusy: false, ahead: [] }
        lines.set(socket, line)
      }
      if (line.isBusy) putBehind(line, [request, response], socket)
      else begin(line, [request, response])
    }
  })
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
