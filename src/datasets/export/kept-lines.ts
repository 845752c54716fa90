/**
 * Room for the lines that a scan selected: where they are few, they are kept until they are sent, and need not be read and
 * tried again. What finds no room is.
 */

/** Of one page, and of all at a time. */
const usual = { perPage: 8 * 1024 * 1024, inAll: 32 * 1024 * 1024 }

export type KeptLines = {
  /** How many more bytes may be kept. */
  left(): number
  /** Whether these are kept. */
  keep(lines: Buffer): boolean
  /** What was kept is used no more. */
  release(): void
}

/** Answers how a page begins. */
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
