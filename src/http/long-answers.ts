/**
 * Stops slow readers from filling the memory with long answers: these are sent piece by piece as the client reads, and
 * held in the byte budget until the last piece is sent.
 */
import { Readable, type Writable } from 'node:stream'
import type { Hold } from './byte-budget.ts'

/** Twice a socket's buffer: waiting for each half took a third longer (390 kB to ten clients who read at once). */
const pieceBytes = 128 * 1024

/** Resolves once everything is written, or the client has left. */
export async function writePieces(output: Writable, pieces: Iterable<string | Uint8Array>, hold: Hold): Promise<void> {
  for (const piece of pieces) {
    if (!(await write(output, piece))) return
    hold.move()
  }
}

/** Waits for a slow client, but not for one that has disconnected; answers whether it is still connected. */
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

/** The same as a stream, read as fast as the client takes it. */
export function paidStream(pieces: Iterable<string | Uint8Array>, hold: Hold): Readable {
  function* moving() {
    for (const piece of pieces) {
      yield piece
      hold.move()
    }
  }
  return Readable.from(moving())
}

/** Cuts into pieces that share its memory. */
export function* cut(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes)
}
