/** Authentication: finds the actor of a request by its header, cookie or query, in the same way for every API. */
import { type Actor, anonymous } from '../../accounts/actor.ts'
import { hasSessionForm, type Sessions } from '../../accounts/sign-in/sessions.ts'
import type { Tokens } from '../../accounts/tokens.ts'
import { networkOf } from '../../lib/network.ts'
import type { CredentialRequest } from './credentials.ts'
import { originOf } from './origin.ts'

export const sessionCookie = 'guildhall_session'

export type Caller = {
  readonly actor: Actor
  /**
   * Where the credential was sent. Browsers send cookies automatically, so the origin of such requests must be checked.
   */
  readonly via: 'nothing' | 'header' | 'cookie'
  /** The credential belongs to no account. */
  readonly isUnknown: boolean
  /** This request renewed the session, so its cookie must be renewed too. */
  readonly wasRenewed: boolean
  /** The end of the account's or the sender's lock-out, during which most APIs refuse the request. */
  readonly blockedUntil: number
}

export type Authenticate = ReturnType<typeof makeAuthenticate>

export function makeAuthenticate({ sessions, tokens }: { sessions: Sessions; tokens: Tokens }) {
  async function byToken(secret: string, request: CredentialRequest): Promise<Caller> {
    const found = await tokens.find(secret, senderKey(request))
    if (!found) return unknown('header', request.ip)
    const { account, token, blockedUntil } = found
    const actor: Actor = { account, credential: { kind: 'token', token }, address: request.ip }
    return { actor, via: 'header', isUnknown: false, wasRenewed: false, blockedUntil }
  }

  async function bySession(secret: string, via: 'header' | 'cookie', request: CredentialRequest): Promise<Caller> {
    const session = await sessions.open(secret, request.ip, senderKey(request))
    if (session) return { ...session, via, isUnknown: false }
    return via === 'header' ? byToken(secret, request) : unknown(via, request.ip)
  }

  return {
    /** The header takes precedence over the cookie. `queryToken` is for APIs that accept one. */
    async identify(request: CredentialRequest, queryToken?: string): Promise<Caller> {
      const secret = readBearer(request.headers.authorization) ?? queryToken
      if (secret !== undefined) {
        return hasSessionForm(secret) ? bySession(secret, 'header', request) : byToken(secret, request)
      }
      const cookie = readCookie(request)
      if (cookie !== undefined) return bySession(cookie, 'cookie', request)
      return { ...unknown('nothing', request.ip), isUnknown: false }
    },

    /** A request's present caller: by this session, by none (null), or by the credential that it was sent with. */
    async identifyActor(request: CredentialRequest, session?: string | null): Promise<Actor> {
      if (session === null) return anonymous(request.ip)
      const caller = await (session ? bySession(session, 'header', request) : this.identify(request))
      return caller.actor
    },
  }
}

const unknown = (via: Caller['via'], address: string): Caller => ({
  actor: anonymous(address),
  via,
  isUnknown: true,
  wasRenewed: false,
  blockedUntil: 0,
})

/** A header without a usable token counts as an unknown credential, not as the absence of one. */
function readBearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  return /^(?:bearer|token) +(\S+) *$/i.exec(header)?.[1] ?? ''
}

export function readCookie({ headers: { cookie: header } }: CredentialRequest): string | undefined {
  if (!header?.includes(sessionCookie)) return undefined
  for (const pair of header.split(';')) {
    const [name, value] = pair.split('=', 2)
    if (name?.trim() === sessionCookie) return value?.trim()
  }
  return undefined
}

/** Whether the page that sent this request is from this server: same scheme, host and port. */
export function isSameOrigin(request: CredentialRequest, baseUrl: string | undefined): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || origin === originOf(request, baseUrl)
}

/**
 * The key under which wrong credentials without an account are counted. Requests that pages of other sites make a
 * browser send count separately: ten images on such a page would otherwise lock out everybody behind the reader's
 * address. A sender that merely pretends to be such a page gets one more quota of attempts.
 */
export const senderKey = ({ headers, ip }: CredentialRequest) =>
  `${headers['sec-fetch-site'] === 'cross-site' ? 'cross-site' : 'address'}:${networkOf(ip)}`
