/**
 * Closes connections without any request when the server stops: browsers and clients open them in advance, and Node
 * takes them for busy.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const openOf = new WeakMap<Server, Set<Socket>>()

export function watchConnections(server: Server): void {
  const open = new Set<Socket>()
  openOf.set(server, open)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
}

export function closeSilentConnections(server: Server): void {
  for (const socket of openOf.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
}
