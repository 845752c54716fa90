/**
 * A memory budget for the lines that a scan selected: few lines are kept until they are sent, so that they need not be
 * read and matched again. Lines that find no room are read again.
 */

/** Bytes per page, and in all. */
const usual = { perPage: 8 * 1024 * 1024, inAll: 32 * 1024 * 1024 }

export type KeptLines = {
  /** The number of bytes that may still be kept. */
  left(): number
  /** Answers whether the lines are kept. */
  keep(lines: Buffer): boolean
  /** Frees what was kept. */
  release(): void
}

/** Answers a function that opens the budget of a page. */
export function makeKeptLines({ perPage, inAll } = usual): () => KeptLines {
  let used = 0
  return () => {
    let own = 0
    const left = () => Math.min(perPage - own, inAll - used)
    return {
      left,
      keep({ length }) {
        if (length > left()) return false
        own += length
        used += length
        return true
      },
      release() {
        used -= own
        own = 0
      },
    }
  }
}
