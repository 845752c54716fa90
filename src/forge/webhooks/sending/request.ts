/** One request to a receiver: signed, within limits of time and size, following no redirect. */
import { createHmac } from 'node:crypto'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { DestinationRefused, type Destinations } from '../../outbound/destination.ts'

export type HookMessage = {
  readonly url: string
  readonly contentType: 'json' | 'form'
  readonly secret: string | null
  readonly isInsecure: boolean
  readonly payload: string
  /** The delivery's own headers in both spellings, besides those of every request. */
  readonly headers: Readonly<Record<string, string>>
}

export type HookAnswer = {
  /** 0 if there was no answer. */
  readonly statusCode: number
  readonly status: string
  readonly durationMs: number
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: string | null
  /** Whether it failed for a reason that may be temporary. */
  readonly mayPass: boolean
}

export type RequestBounds = { readonly answerMs: number; readonly answerBytes: number }

const userAgent = 'Guildhall-Hookshot'
/** A receiver may send interim answers (100, 102, 103), but not without end. */
const maxInterimAnswers = 20
/** How many of the receiver's headers are kept, and the length to which each is cut. */
const keptHeaders = 50
const keptHeaderLength = 1_000

export const sign = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

export async function sendMessage(
  message: HookMessage,
  destinations: Destinations,
  { answerMs, answerBytes }: RequestBounds,
  stopping: AbortSignal,
): Promise<HookAnswer> {
  const body =
    message.contentType === 'json'
      ? message.payload
      : `payload=${encodeURIComponent(message.payload).replaceAll('%20', '+')}`
  const requestHeaders = {
    accept: '*/*',
    'content-type': message.contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    'user-agent': userAgent,
    ...message.headers,
    ...(message.secret !== null && { 'x-hub-signature-256': sign(message.secret, body) }),
  }
  const startedAt = performance.now()
  const ended = (part: Pick<HookAnswer, 'statusCode' | 'status' | 'mayPass'> & Partial<HookAnswer>): HookAnswer => ({
    durationMs: Math.round(performance.now() - startedAt),
    requestHeaders,
    responseHeaders: null,
    responseBody: null,
    ...part,
  })
  // The time limit of the whole attempt, whatever happens to the request, its socket or its answer.
  const attempt = new AbortController()
  const overdue = setTimeout(() => attempt.abort(new Overdue()), answerMs)
  const signal = AbortSignal.any([attempt.signal, stopping])
  try {
    const url = new URL(message.url)
    destinations.demandFine(url)
    const readAnswer = async () => {
      const response = await post(url, body, requestHeaders, message.isInsecure, destinations, signal)
      // After a switch of protocols there is no body.
      return { response, responseBody: response.statusCode === 101 ? '' : await readStart(response, answerBytes) }
    }
    const { response, responseBody } = await orAborted(signal, readAnswer())
    const statusCode = response.statusCode ?? 0
    const isTaken = statusCode >= 200 && statusCode < 300
    return ended({
      statusCode,
      status: isTaken ? 'OK' : `Invalid HTTP Response: ${statusCode}`,
      mayPass: statusCode === 429 || statusCode >= 500,
      responseHeaders: cutHeaders(response),
      responseBody,
    })
  } catch (error) {
    // The server is stopping: this does not count as an attempt, and it is made again.
    stopping.throwIfAborted()
    if (error instanceof DestinationRefused)
      return ended({
        statusCode: 0,
        status: 'destination not allowed',
        mayPass: false,
        responseBody: error.message,
        // The duration of the lookup would reveal which names the operator's network knows.
        durationMs: 0,
      })
    const isLate = attempt.signal.aborted
    return ended({
      statusCode: 0,
      status: isLate ? 'timed out' : 'failed to connect to host',
      mayPass: true,
      responseBody: isLate ? null : describe(error),
    })
  } finally {
    clearTimeout(overdue)
    // Ends the rest of the request with the attempt.
    attempt.abort()
  }
}

class Overdue extends Error {
  override readonly name = 'Overdue'
}

async function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function post(
  url: URL,
  body: string,
  headers: Record<string, string>,
  isInsecure: boolean,
  { lookup }: Destinations,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:'
  const { request } = isSecure ? https : http
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const asking: ClientRequest = request(url, {
    method: 'POST',
    // No connection is kept alive: it would be reused without a check of its address.
    agent: false,
    lookup,
    signal,
    headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
    ...(isSecure && { rejectUnauthorized: !isInsecure }),
  })
  asking.on('response', resolve)
  // On a switch of protocols Node hands over the socket and emits nothing more, not even its end.
  asking.on('upgrade', (response, socket) => {
    socket.destroy()
    resolve(response)
  })
  let interimAnswers = 0
  asking.on('information', () => {
    if (++interimAnswers > maxInterimAnswers) asking.destroy(new Error('The receiver announces an answer without end.'))
  })
  asking.on('error', reject)
  asking.on('close', () => reject(new Error('The connection ended without an answer.')))
  asking.end(body)
  return promise
}

/** Reads the beginning of the body, and not the rest. */
async function readStart(response: IncomingMessage, most: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, most - size))
    size += part.length
    if (size >= most) break
  }
  response.destroy()
  return clean(Buffer.concat(parts).toString('utf8'))
}

const cutHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, keptHeaders)
      .map(([name, value]) => [name, clean(String(value)).slice(0, keptHeaderLength).toWellFormed()]),
  )

/** Removes NUL, which PostgreSQL refuses. */
const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** Only the code of an error: its message may name addresses of the operator's network. */
function describe(error: unknown): string | null {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : null
}
