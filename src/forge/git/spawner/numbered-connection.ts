/** A connection to the spawner's socket, and the number by which the spawner knows it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type NumberedConnection = { readonly number: number; readonly socket: Socket }

/** The number is all that the spawner itself ever sends: what follows it is the program's. */
export async function openNumbered(address: string): Promise<NumberedConnection> {
  const socket = connect(address)
  let text = ''
  while (!text.endsWith('\n')) {
    // Read by hand: a stream that has flowed would go on to flow before anybody listens.
    const chunk = socket.read()
    if (chunk !== null) text += chunk
    else if (socket.readableEnded || socket.destroyed) throw new Error('The spawner closed a connection.')
    else await once(socket, 'readable')
  }
  // Errors come before the close, which is what everybody waits for.
  socket.on('error', () => {})
  return { number: Number(text), socket }
}
