/**
 * Stops floods of connections, which take memory and descriptors before a byte is sent: open ones are bounded, in all
 * and per address, and excess ones are answered with an error and closed.
 */
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../lib/network.ts'
import { securityHeaders } from './security-headers.ts'

export type ConnectionBounds = { readonly connections: number; readonly connectionsPerAddress: number }

/** Excess connections that are accepted to be told; further ones are closed without an answer. */
const toldAtOnce = 100
/** An excess connection that sends no request is closed after this time. */
const patienceMs = 1_000

const refused = new WeakSet<Socket>()

/**
 * Answers the listener that serves accepted connections. `countsAddresses`: false behind a trusted proxy, because all
 * connections come from its address.
 */
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
