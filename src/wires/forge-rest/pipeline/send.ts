/** The last step: a serialized answer becomes bytes on the connection. */
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Hold } from '../../byte-budget.ts'
import type { HttpRequest } from '../../http-request.ts'
import { cut, writePieces } from '../../long-answer.ts'
import { onceClosed } from '../../response.ts'
import { writeHead } from '../../response-head.ts'
import type { HeaderList } from './headers.ts'

export type SerializedAnswer = {
  readonly status: number
  /** The headers that every answer has, joined already, and its own. */
  readonly headLines: string
  readonly headers: HeaderList
  /** Undefined for what would flow, and is only asked about. */
  readonly bytes: Buffer | Readable | string | undefined
  /** How many, where it is known already. */
  readonly length?: number | undefined
}

/** A client that reads nothing of a flow for so long is cut off. */
const idleMs = 300_000

/** Writes head and body by hand, because then both leave in one write. What `hold` pays for is written as it is read. */
export function send(request: HttpRequest, raw: ServerResponse, serialized: SerializedAnswer, hold?: Hold): void {
  const { status, headLines, headers, bytes } = serialized
  if (bytes === undefined) {
    if (serialized.length !== undefined) headers.push('content-length', String(serialized.length))
    writeHead(raw, status, headLines, headers)
    return void raw.end()
  }
  if (typeof bytes !== 'string' && !Buffer.isBuffer(bytes)) {
    bytes.on('error', () => raw.destroy())
    // The client may have left before there was anything to send.
    onceClosed(raw, () => bytes.destroy())
    if (raw.destroyed) return
    // Who neither reads nor leaves must not keep what makes the bytes.
    raw.setTimeout(idleMs, () => raw.destroy())
    if (serialized.length !== undefined) headers.push('content-length', String(serialized.length))
    writeHead(raw, status, headLines, headers)
    bytes.pipe(raw)
    return
  }
  const length = serialized.length ?? Buffer.byteLength(bytes)
  // The rest of a body that is too large is not waited for.
  if (status === 413) headers.push('connection', 'close')
  if (status !== 304 && status !== 204) headers.push('content-length', String(length))
  writeHead(raw, status, headLines, headers)
  if (request.method === 'HEAD') raw.end()
  else if (hold) sendLong(raw, bytes, hold)
  // Text that has as many characters as bytes is these bytes, and goes out several times faster as what it is.
  else if (typeof bytes === 'string' && length === bytes.length) raw.end(bytes, 'latin1')
  else raw.end(bytes)
  // A body that nobody read must not keep the connection from its next request.
  const { body } = request
  if (body && !body.readableEnded) body.resume()
}

/** Handed over in one piece, which the system takes as it can: a page of thirty is shorter, and in two pieces it took a quarter longer. */
const maxAtOnce = 512 * 1024

/** Text beyond ASCII is made bytes first: between two halves of a character it can't be cut. */
function sendLong(raw: ServerResponse, content: string | Buffer, hold: Hold): void {
  onceClosed(raw, hold.release)
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  if (bytes.length <= maxAtOnce) raw.end(bytes)
  else void writePieces(raw, cut(bytes), hold).then(() => raw.end())
}
