/** Captures a program's standard output, as far as it is shown to the author of a trial. */

export type Captured = { readonly stdout: Uint8Array; readonly isStdoutCut: boolean }

export type Capture = {
  /** Starts a run, and discards the output of the one before. */
  begin(): void
  write(chunk: Uint8Array): void
  /** Returns the last run's output, which counts towards the total. */
  take(): Captured
}

const runBytes = 64 * 1024
/** For all runs of a trial together. */
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
      // Copied, because the caller reuses its buffer.
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
