/** Captures what a program writes to its standard output, as far as whoever tries it is shown. */

export type Captured = { readonly stdout: Uint8Array; readonly isStdoutCut: boolean }

export type Capture = {
  /** A run begins: what one before it wrote is forgotten. */
  begin(): void
  write(chunk: Uint8Array): void
  /** What the last run wrote; it counts towards all that is kept. */
  take(): Captured
}

const runBytes = 64 * 1024
/** Of all runs of a trial together. */
const allBytes = 512 * 1024

export function makeCapture(): Capture {
  let chunks: Buffer[] = []
  let size = 0
  let isCut = false
  let left = allBytes

  const begin = () => {
    chunks = []
    size = 0
    isCut = false
  }
  return {
    begin,
    write(chunk) {
      const room = Math.min(runBytes, left) - size
      if (chunk.length > room) isCut = true
      if (room <= 0) return
      // The caller's buffer is used again.
      const kept = Buffer.from(chunk.subarray(0, room))
      chunks.push(kept)
      size += kept.length
    },
    take() {
      const taken = { stdout: Buffer.concat(chunks), isStdoutCut: isCut }
      left -= size
      begin()
      return taken
    },
  }
}
