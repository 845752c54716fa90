/**
 * One request to a source: to a checked address, without redirects or proxies, and with the credentials in a header and
 * nowhere else.
 */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { DestinationRefused, type Destinations } from '../../outbound/destination.ts'
import { printable, refuseSource } from '../refusal.ts'
import { notGit } from './advertisement.ts'

export type SourceCredentials = { readonly username: string; readonly password: string }

export type SourceAddress = { readonly url: string; readonly credentials: SourceCredentials | undefined }

export type SourceQuestion = {
  /** What follows the address: `/info/refs?service=git-upload-pack`. */
  readonly path: string
  /** The content type of the answer of a git server. */
  readonly type: string
  readonly body?: { readonly type: string; readonly bytes: Buffer }
}

type Bounds = { readonly destinations: Destinations; readonly silentMs: number; readonly signal: AbortSignal }

/** A source may send interim answers (100, 103), but not without end. */
const maxInterimAnswers = 20
const userAgent = 'git/2.0 (Guildhall)'

/** Answers once the head of a fitting answer is there; its body is still to come. */
export async function askSource(
  address: SourceAddress,
  question: SourceQuestion,
  bounds: Bounds,
): Promise<IncomingMessage> {
  const response = await send(address, question, bounds).catch((error) => {
    throw bounds.signal.aborted ? bounds.signal.reason : describe(error)
  })
  const refusal = judge(response, address, question)
  if (!refusal) return response
  response.destroy()
  throw refusal
}

function send(
  { url, credentials }: SourceAddress,
  { path, type, body }: SourceQuestion,
  { destinations, silentMs, signal }: Bounds,
): Promise<IncomingMessage> {
  const target = new URL(url + path)
  const isSecure = target.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  demandDestination(target, destinations)
  const asking = (isSecure ? https : http).request(target, {
    method: body ? 'POST' : 'GET',
    // No connection is kept alive: it would be reused without a check of its address.
    agent: false,
    lookup: isSecure ? destinations.lookup : destinations.lookupWithin,
    signal,
    headers: {
      accept: type,
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      connection: 'close',
      ...(body && { 'content-type': body.type, 'content-length': body.bytes.length }),
      ...(credentials && { authorization: spellCredentials(credentials) }),
    },
  })
  const overdue = setTimeout(() => asking.destroy(new SourceSilent()), silentMs)
  const settle = (act: () => void) => {
    clearTimeout(overdue)
    act()
  }
  asking.on('response', (response) => settle(() => resolve(response)))
  // On a switch of protocols Node hands over the socket and emits nothing more.
  asking.on('upgrade', (_response, socket) => {
    socket.destroy()
    settle(() => reject(notGit()))
  })
  let interimAnswers = 0
  asking.on('information', () => {
    if (++interimAnswers > maxInterimAnswers) asking.destroy(new SourceSilent())
  })
  asking.on('error', (error) => settle(() => reject(error)))
  asking.on('close', () => settle(() => reject(new Error('The connection ended without an answer.'))))
  asking.end(body?.bytes)
  return promise
}

class SourceSilent extends Error {}

const spellCredentials = ({ username, password }: SourceCredentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Without TLS others on the way could read the credentials and change the code. */
export function demandDestination(url: URL, destinations: Destinations): void {
  if (url.protocol === 'https:') destinations.demandFine(url)
  else destinations.demandWithin(url)
}

function judge(response: IncomingMessage, { url, credentials }: SourceAddress, { path, type }: SourceQuestion) {
  const { statusCode = 0, headers } = response
  if (statusCode >= 300 && statusCode < 400) return redirected(headers.location, url, path)
  if (statusCode === 401 || (statusCode === 403 && credentials))
    return refuseSource(
      credentials
        ? 'The source refuses these credentials: give others, a token instead of a password, say.'
        : 'The source asks for credentials: give a username, and a password or token.',
    )
  if (statusCode === 403 || statusCode === 404 || statusCode === 410)
    return refuseSource(
      `The source answers ${statusCode}: there is no repository at this address, or it is shown only with credentials.`,
    )
  if (statusCode !== 200)
    return refuseSource(`The source answers ${statusCode}: try again later, and ask its admin if it stays so.`)
  const isFitting = headers['content-type']?.split(';')[0]?.trim() === type && !isEncoded(headers['content-encoding'])
  return isFitting ? undefined : notGit()
}

const isEncoded = (encoding: string | undefined): boolean => encoding !== undefined && encoding !== 'identity'

/** A redirect could lead credentials elsewhere, so it is named and not followed. */
function redirected(location: string | undefined, url: string, path: string) {
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined
  const isAddress = target && /^https?:$/.test(target.protocol) && target.href.endsWith(path) && target.username === ''
  const where = isAddress ? printable(target.href.slice(0, -path.length)) : undefined
  return refuseSource(
    where
      ? `The source redirects to ${where}: import from that address.`
      : 'The source redirects elsewhere, which is not followed: give the address that git clone ends at.',
  )
}

/** The reason of a failed connection. Details of a refused destination would map the operator's network. */
function describe(error: unknown): unknown {
  if (error instanceof DestinationRefused) return refuseDestination()
  if (error instanceof SourceSilent) return refuseSource('The source does not answer: try again later.')
  const { code } = error as { code?: unknown }
  if (error instanceof Error && error.name === 'Failure') return error
  if (typeof code === 'string' && /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return refuseSource(`The source’s certificate can’t be verified (${code}): its admin has to mend it.`)
  const what = typeof code === 'string' ? ` (${code})` : ''
  return refuseSource(`The source can’t be reached${what}: check the address, or try again later.`)
}

export const refuseDestination = () =>
  refuseSource(
    'This server does not import from there: the address must be https:// and one of the internet. The server’s admin may allow other networks (GUILDHALL_IMPORT_NETWORKS).',
  )

/** Undefined if it can be a source; otherwise the reason, in words for the person who gave it. */
export function findFault(text: string, destinations: Destinations): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text))
    return 'Give the address that git clone takes, beginning with https://.'
  if (url.username !== '' || url.password !== '')
    return 'The address must not hold credentials: give them as username and password.'
  if (url.search !== '' || url.hash !== '' || /[?#\\\s]/.test(text))
    return 'The address must have no query: end it with the repository’s path.'
  try {
    demandDestination(url, destinations)
    return undefined
  } catch (error) {
    if (!(error instanceof DestinationRefused)) throw error
    return url.protocol === 'http:' && isIP(url.hostname) === 0 ? undefined : refuseDestination().message
  }
}
