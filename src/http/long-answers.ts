/** Stops slow readers from filling the memory with long answers: these leave piece by piece as their client reads them, paid for in the budget of bytes until the last is out. */
import { Readable, type Writable } from 'node:stream'
import type { Hold } from './byte-budget.ts'

/** Twice what a socket takes at once: to wait for each half took a third longer (390 kB to ten clients who read at once). */
const pieceBytes = 128 * 1024

/** Resolves once all of it is handed on, or the client has left. */
export async function writePieces(output: Writable, pieces: Iterable<string | Uint8Array>, hold: Hold): Promise<void> {
  for (const piece of pieces) {
    if (!(await write(output, piece))) return
    hold.move()
  }
}

/** Waits for a slow client, but not for one that has disconnected; answers whether it is there. */
async function write(output: Writable, piece: string | Uint8Array): Promise<boolean> {
  if (output.destroyed) return false
  if (output.write(piece)) return true
  return new Promise((resolve) => {
    const goOn = () => {
      output.off('drain', goOn).off('close', goOn)
      resolve(!output.destroyed)
    }
    output.on('drain', goOn).on('close', goOn)
  })
}

/** The same as a stream to send: it is read as fast as the client takes it. */
export function paidStream(pieces: Iterable<string | Uint8Array>, hold: Hold): Readable {
  function* moving() {
    for (const piece of pieces) {
      yield piece
      hold.move()
    }
  }
  return Readable.from(moving())
}

/** In pieces that share its memory. */
export function* cut(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes)
}
