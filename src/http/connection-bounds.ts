/**
 * Stops floods of connections, which take memory and descriptors before a byte is sent: open ones are bounded, in all and by
 * address, and whoever has too many is told so and let go.
 */
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../lib/network.ts'
import { securityHeaders } from './security-headers.ts'

export type ConnectionBounds = { readonly connections: number; readonly connectionsPerAddress: number }

/** So many more are let in to be told; beyond them a connection is closed without a word. */
const toldAtOnce = 100
/** A connection that is to be told, and asks nothing, is closed after so long. */
const patienceMs = 1_000

const refused = new WeakSet<Socket>()

/** Answers what serves the requests of those that were let in. `countsAddresses`: behind a proxy that is believed, all come from its address. */
export function boundConnections(
  server: Server,
  serve: RequestListener,
  bounds: ConnectionBounds,
  countsAddresses: boolean,
): RequestListener {
  const { connections, connectionsPerAddress } = bounds
  const byAddress = new Map<string, number>()
  let open = 0
  let told = 0
  server.maxConnections = connections + toldAtOnce

  server.on('connection', (socket: Socket) => {
    const address = countsAddresses ? networkOf(socket.remoteAddress ?? '') : ''
    const own = byAddress.get(address) ?? 0
    if (open >= connections || (countsAddresses && own >= connectionsPerAddress)) {
      if (told >= toldAtOnce) return void socket.destroy()
      told++
      refused.add(socket)
      socket.setTimeout(patienceMs, () => socket.destroy())
      socket.once('close', () => told--)
      return
    }
    open++
    byAddress.set(address, own + 1)
    socket.once('close', () => {
      open--
      const left = byAddress.get(address)! - 1
      if (left > 0) byAddress.set(address, left)
      else byAddress.delete(address)
    })
  })

  return (request, response) => {
    if (!refused.has(request.socket)) return serve(request, response)
    const message = 'Too many connections are open: close some, or try again in a moment.'
    const headers = { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(503, { ...headers, 'retry-after': '2', connection: 'close' })
    response.end(JSON.stringify({ message, status: '503' }))
  }
}
