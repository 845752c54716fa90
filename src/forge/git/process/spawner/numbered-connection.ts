/** A connection to the spawner's socket, with the number by which the spawner knows it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type NumberedConnection = { readonly number: number; readonly socket: Socket }

/** Opens both connections, or leaves none open. */
export async function openPair(
  address: string,
  hasInput: boolean,
): Promise<[output: NumberedConnection, input: NumberedConnection | undefined]> {
  const opening = [openNumbered(address), ...(hasInput ? [openNumbered(address)] : [])]
  const opened = await Promise.allSettled(opening)
  const failed = opened.find(({ status }) => status === 'rejected')
  const connections = opened.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (!failed) return [connections[0]!, connections[1]]
  for (const { socket } of connections) socket.destroy()
  throw (failed as PromiseRejectedResult).reason
}

/** The spawner itself sends only the number. Everything after it comes from the program. */
async function openNumbered(address: string): Promise<NumberedConnection> {
  const socket = connect(address)
  let text = ''
  while (!text.endsWith('\n')) {
    // Read by hand: a stream that has flowed once would go on before anybody listens.
    const chunk = socket.read()
    if (chunk !== null) text += chunk
    else if (socket.readableEnded || socket.destroyed) {
      socket.destroy()
      throw new Error('The spawner closed a connection.')
    } else await once(socket, 'readable')
  }
  // An error always precedes the close event, which every caller waits for.
  socket.on('error', () => {})
  return { number: Number(text), socket }
}
