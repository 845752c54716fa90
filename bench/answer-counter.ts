/**
 * Reads answers of HTTP as they arrive, one at a time, and of each no more than its status and where it ends. A client that
 * parses every header takes longer for a short answer than the server that made it, and would be what is measured.
 */
export type AnswerCounter = {
  /** Calls back with the status of an answer once all of it was there. */
  push(bytes: Buffer): void
}

const lineEnd = '\r\n'
const headEnd = '\r\n\r\n'

/** `onBody` is called with each piece of a body, which may be used until it answers. */
export function makeAnswerCounter(
  onAnswer: (status: number) => void,
  onBody: (bytes: Buffer) => void = () => {},
): AnswerCounter {
  let held: Buffer = Buffer.alloc(0)
  let status = 0
  /** Of the body or the chunk; undefined before its length is known. */
  let left: number | undefined
  let isChunked = false
  let isLastChunk = false

  function finish(): void {
    left = undefined
    isChunked = false
    isLastChunk = false
    onAnswer(status)
  }

  /** What is left of the bytes, or undefined where more must come. */
  function readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(headEnd)
    if (end < 0) return undefined
    status = Number(bytes.toString('latin1', 9, 12))
    const head = status === 304 || status === 204 ? '' : bytes.toString('latin1', 0, end).toLowerCase()
    isChunked = head.includes('\r\ntransfer-encoding: chunked')
    const at = head.indexOf('\r\ncontent-length: ')
    if (!isChunked) left = at < 0 ? 0 : Number.parseInt(head.slice(at + 18), 10)
    return bytes.subarray(end + headEnd.length)
  }

  function readChunkSize(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(lineEnd)
    if (end < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', 0, end), 16)
    isLastChunk = size === 0
    left = size + lineEnd.length
    return bytes.subarray(end + lineEnd.length)
  }

  return {
    push(bytes) {
      let rest = held.length > 0 ? Buffer.concat([held, bytes]) : bytes
      while (true) {
        if (left === undefined) {
          const after = isChunked ? readChunkSize(rest) : readHead(rest)
          if (!after) break
          rest = after
          continue
        }
        const taken = Math.min(left, rest.length)
        const ofBody = isChunked ? Math.min(taken, Math.max(0, left - lineEnd.length)) : taken
        if (ofBody > 0) onBody(rest.subarray(0, ofBody))
        left -= taken
        rest = rest.subarray(taken)
        if (left > 0) break
        if (isChunked && !isLastChunk) left = undefined
        else {
          held = Buffer.alloc(0)
          return finish()
        }
      }
      // The memory of what was read may be read into again.
      held = rest.length > 0 ? Buffer.from(rest) : rest
    },
  }
}
