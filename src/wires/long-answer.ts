/** A long answer, written piece by piece as its client reads it, and paid for in the budget of bytes until the last is out. */
import type { ServerResponse } from 'node:http'
import type { Hold } from './byte-budget.ts'

/** Twice what a socket takes at once: to wait for each half took a third longer (390 kB to ten clients who read at once). */
const pieceBytes = 128 * 1024

/** Resolves once all of it is handed to the system, or the client has left. */
export async function writePieces(
  raw: ServerResponse,
  pieces: Iterable<string | Uint8Array>,
  hold: Hold,
  encoding: BufferEncoding = 'utf8',
): Promise<void> {
  for (const piece of pieces) {
    if (!(await write(raw, piece, encoding))) return
    hold.move()
  }
}

/** Waits for a slow client, but not for one that has disconnected; answers whether it is there. */
function write(raw: ServerResponse, piece: string | Uint8Array, encoding: BufferEncoding): Promise<boolean> | boolean {
  if (raw.destroyed) return false
  // Node asks to wait after every long piece, also where the system has taken all of it.
  if (raw.write(piece, encoding) || raw.writableLength === 0) return true
  return new Promise((resolve) => {
    const goOn = () => {
      raw.off('drain', goOn).off('close', goOn)
      resolve(!raw.destroyed)
    }
    raw.on('drain', goOn).on('close', goOn)
  })
}

/** Bytes, or text that is ASCII, in pieces that share its memory. */
export function* cut(content: string | Buffer): Generator<string | Buffer> {
  for (let at = 0; at < content.length; at += pieceBytes) {
    yield typeof content === 'string' ? content.slice(at, at + pieceBytes) : content.subarray(at, at + pieceBytes)
  }
}
