/**
 * A request and its whole answer, for tests that make thousands of them. What goes over the wire is what `fetch` sends, which
 * takes several times as much of the processor: more than the server that answers.
 */
import { Agent, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

export type Answer = {
  readonly status: number
  /** The media type as it was told. */
  readonly type: string | undefined
  readonly headers: Headers
  readonly text: string
}

type Sent = {
  readonly method: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
  /** For connections that nobody else has. */
  readonly agent?: Agent | undefined
}

const decoder = new TextDecoder()
const shared = new Agent({ keepAlive: true })

/** As of `fetch`. */
const usual = {
  connection: 'keep-alive',
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
}

/** Rejects where the connection fails before the answer is whole. */
export function exchange(url: string, { method, headers, body, agent = shared }: Sent): Promise<Answer> {
  const { hostname: host, port, pathname, search } = new URL(url)
  const hostname = host.replace(/^\[|\]$/g, '')
  const all: Record<string, string | number> = { ...usual, ...headers }
  if (body !== undefined) {
    all['content-length'] = Buffer.byteLength(body)
    if (typeof body === 'string' && !hasType(headers)) all['content-type'] = 'text/plain;charset=UTF-8'
  }
  return new Promise((resolve, reject) => {
    const sending = request({ agent, method, hostname, port, path: pathname + search, headers: all })
    sending.on('error', reject)
    sending.on('response', (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        try {
          resolve(presentAnswer(response, Buffer.concat(parts)))
        } catch (error) {
          reject(error)
        }
      })
    })
    sending.end(body)
  })
}

const hasType = (headers: object = {}) => Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')

function presentAnswer(response: IncomingMessage, body: Buffer): Answer {
  const { statusCode = 0, rawHeaders } = response
  return {
    status: statusCode,
    type: response.headers['content-type'],
    text: decoder.decode(unpack(body, response.headers['content-encoding'])),
    // Most tests look at the body alone.
    get headers() {
      const headers = new Headers()
      for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
      return headers
    },
  }
}

function unpack(body: Buffer, encoding: string | undefined): Buffer {
  if (body.length === 0) return body
  if (encoding === 'gzip') return gunzipSync(body)
  if (encoding === 'deflate') return inflateSync(body)
  return encoding === 'br' ? brotliDecompressSync(body) : body
}
