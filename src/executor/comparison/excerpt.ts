/** Excerpts: the text around a marked place, collected as the text passes, in constant memory. */

export type Excerpt = {
  /** Takes the next bytes of the text. The caller may overwrite them afterwards. */
  pass(bytes: Uint8Array): void
  /** Marks this place: keeps the line so far, and adds what follows until the excerpt is full. */
  stop(): void
  isFull(): boolean
  toText(): string
}

/** About a screen. */
const mostBytes = 1_000
const mostLines = 10
/** The most bytes of the line before the place. */
const lineBytes = 200
const newline = 0x0a

export function makeExcerpt(): Excerpt {
  let before = Buffer.alloc(0)
  let after = Buffer.alloc(0)
  let isStopped = false
  let isCut = false

  return {
    pass(bytes) {
      if (bytes.length === 0) return
      if (isStopped) {
        after = Buffer.concat([after, bytes.subarray(0, mostBytes + 1 - after.length)])
      } else {
        const end = bytes.subarray(-(lineBytes + 1))
        before = Buffer.concat([before.subarray(-(lineBytes + 1)), end]).subarray(-(lineBytes + 1))
      }
    },
    stop() {
      isStopped = true
      const lineStart = before.lastIndexOf(newline) + 1
      isCut = lineStart === 0 && before.length > lineBytes
      before = isCut ? before.subarray(-lineBytes) : before.subarray(lineStart)
    },
    isFull: () => after.length > mostBytes,
    toText() {
      const text = Buffer.concat([before, after]).toString('utf8').replace(/\n+$/, '')
      const lines = text.split('\n')
      const shown = lines.slice(0, mostLines).join('\n').slice(0, mostBytes)
      return `${isCut ? '…' : ''}${shown}${shown.length < text.length ? '…' : ''}`
    },
  }
}

/** The beginning of a text, cut to a screen. */
export function quoteBeginning(bytes: Uint8Array): string {
  const excerpt = makeExcerpt()
  excerpt.stop()
  excerpt.pass(bytes)
  return excerpt.toText()
}
