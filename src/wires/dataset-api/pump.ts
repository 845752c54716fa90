/** Sends chunks as fast as the client takes them, one at a time, and frees the memory of each once it is sent. */
import type { ServerResponse } from 'node:http'
import { release } from '../../datasets/items/memory.ts'
import type { Hold } from '../byte-budget.ts'
import type { Rest } from './loop-share.ts'

/**
 * When the client disconnects, the source is closed. When the source fails, the connection is destroyed, so that no
 * truncated file looks whole, and the error is answered.
 */
export async function pump(
  first: Buffer | undefined,
  source: AsyncGenerator<Buffer>,
  response: ServerResponse,
  hold: Hold,
  rest: Rest = async () => {},
): Promise<unknown> {
  try {
    for (let bytes = first; bytes !== undefined; bytes = (await source.next()).value) {
      // Piece by piece: what a slow client holds up is one of them.
      const { length } = bytes
      await hold.take(length)
      if (!(await write(response, bytes))) return undefined
      hold.give(length)
      release(bytes)
      await rest()
    }
    response.end()
    return undefined
  } catch (error) {
    // Of what fails once the client has left, nothing is to be told.
    const hasLeft = response.destroyed
    response.destroy()
    return hasLeft ? undefined : error
  } finally {
    await source.return(undefined)
  }
}

/**
 * Resolves with whether the bytes were sent, in the event loop's next turn: otherwise a fast client would have chunk after
 * chunk rendered and sent without a pause, and other requests would wait (measured: 145 ms).
 */
function write(response: ServerResponse, bytes: Buffer): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    const leave = () => resolve(false)
    response.once('close', leave)
    response.write(bytes, (error) => {
      response.off('close', leave)
      setImmediate(resolve, !error)
    })
  })
}
