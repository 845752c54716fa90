/**
 * Stops request smuggling and forged hosts: a request that is not HTTP, names no host or two, or has a transfer coding
 * that a proxy may have read differently reaches no interface. It is answered here, in the forge's error format.
 */
import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { isHost } from './host.ts'
import { afterAnswers } from './pipelining.ts'
import { securityHeaders } from './security-headers.ts'

/** The reason of a 404 for a missing route, as opposed to a missing resource. */
export const noRoute = 'This server has no route at this address for this method.'

type ClientError = Error & { readonly code?: string; readonly rawPacket?: unknown; readonly bytesParsed?: number }

const refusals: Record<string, readonly [status: number, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large: 16 KiB at most.'],
}

/** A well-formed request line whose method Node does not know: answered like any other method that the path lacks. */
const unknownMethod = /^[A-Z][A-Z-]* \S+ HTTP\/1\.[01]\r\n/

/** The response to each connection's newest request whose head was read. */
const newest = new WeakMap<Socket, ServerResponse>()

/**
 * Whether an error now would be a second answer to one request, or would land inside another answer: a request that was
 * answered before its body ended stays answered, whatever the rest of the body is.
 */
function isAnswered(socket: Socket): boolean {
  const response = newest.get(socket)
  if (!response) return false
  if (response.writableFinished) return !response.req.complete
  return response.headersSent || response.socket === null
}

export function refuseMalformed(error: ClientError, socket: Socket, baseUrl: string | undefined): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // Nothing is read after a request with `Connection: close`.
  const isBehindTheLast = error.code === 'HPE_CLOSED_CONNECTION'
  afterAnswers(socket, () => (isBehindTheLast ? socket.destroySoon() : refuse(error, socket, baseUrl)))
}

function refuse(error: ClientError, socket: Socket, baseUrl: string | undefined): void {
  if (isAnswered(socket)) return void socket.destroySoon()
  const start = unreadOf(error)
  const isWellFormed = error.code === 'HPE_INVALID_METHOD' && unknownMethod.test(start)
  const [status, message] = refusals[error.code ?? ''] ?? [400, 'This is not an HTTP request.']
  const host = /\r\nhost: *([\w.:[\]-]+)/i.exec(start)?.[1] ?? 'localhost'
  const origin = baseUrl ?? `http://${host}`
  if (isWellFormed) write(socket, 404, describe(404, 'Not Found', `${origin}${page}#what-is-not-served`, noRoute))
  else write(socket, status, describe(status, message, `${origin}${page}#errors`))
}

/** The raw bytes from the unreadable line on: valid requests may precede it. */
function unreadOf({ rawPacket, bytesParsed = 0 }: ClientError): string {
  if (!Buffer.isBuffer(rawPacket)) return ''
  const text = rawPacket.toString('latin1')
  return text.slice(bytesParsed > 0 ? text.lastIndexOf('\n', bytesParsed - 1) + 1 : 0)
}

function write(socket: Socket, status: number, { headers, body }: ReturnType<typeof describe>): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy())
}

/** HTTP/1.1 requires exactly one valid Host (RFC 9112, section 3.2); HTTP/1.0 does not have it. */
const lacksHost = ({ httpVersionMinor, headers: { host }, rawHeaders }: IncomingMessage): boolean =>
  host === undefined ? httpVersionMinor > 0 : (host !== '' && !isHost(host)) || hasSecondHost(rawHeaders)

/** Node shows only the first of two, and a proxy may have used the second. */
function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}

/** Bodies are plain or chunked: a body that is also compressed in transfer would be read as if it were not. */
const hasOtherCoding = ({ headers: { 'transfer-encoding': coding } }: IncomingMessage): boolean =>
  coding !== undefined && coding.trim().toLowerCase() !== 'chunked'

function findFault(request: IncomingMessage): readonly [status: number, message: string] | undefined {
  if (lacksHost(request)) return [400, 'The Host header is missing, names no host, or is there twice.']
  // RFC 9112, section 6.1.
  if (hasOtherCoding(request)) return [501, 'Transfer-Encoding may be chunked and nothing else.']
  return undefined
}

/** Refuses a request for faults in its head that no interface would check. */
export function refuseMalformedHeads(serve: RequestListener, baseUrl: string | undefined): RequestListener {
  return (request, response) => {
    newest.set(request.socket, response)
    // No route upgrades the protocol, but Node does not read what follows an upgrade request, so the connection is
    // closed. Java's client asks for `h2c` with each request and sends nothing after it: its connections stay open.
    const { upgrade } = request.headers
    if (upgrade !== undefined && upgrade !== 'h2c') response.shouldKeepAlive = false
    const fault = findFault(request)
    if (!fault) return serve(request, response)
    const [status, message] = fault
    const { headers, body } = describe(status, message, `${baseUrl ?? 'http://localhost'}${page}#errors`)
    response.writeHead(status, headers).end(body)
  }
}

const page = '/-/docs/forge'

function describe(status: number, message: string, documentation_url: string, reason?: string) {
  const body = JSON.stringify({ message, reason, documentation_url, status: String(status) })
  const headers = {
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  return { headers, body }
}
