/** Authentication: finds the actor of a request by its header, cookie or query, the same for every wire. */
import { type Actor, anonymous } from '../accounts/actor.ts'
import { hasSessionForm, type Sessions } from '../accounts/sign-in/sessions.ts'
import type { Tokens } from '../accounts/tokens.ts'
import type { Asked } from './asked.ts'
import { originOf } from './origin.ts'

export const sessionCookie = 'guildhall_session'

export type Caller = {
  readonly actor: Actor
  /** How the credential came. A browser sends cookies by itself, so the origin of such requests must be checked. */
  readonly via: 'nothing' | 'header' | 'cookie'
  /** A credential came that belongs to no account. */
  readonly isUnknown: boolean
  /** This request renewed the session, so a cookie that carried it must be renewed too. */
  readonly wasRenewed: boolean
}

export type Authenticate = ReturnType<typeof makeAuthenticate>

export function makeAuthenticate({ sessions, tokens }: { sessions: Sessions; tokens: Tokens }) {
  async function byToken(secret: string, address: string): Promise<Caller> {
    const found = await tokens.find(secret)
    if (!found) return unknown('header', address)
    const { account, token } = found
    const actor: Actor = { account, credential: { kind: 'token', token }, address }
    return { actor, via: 'header', isUnknown: false, wasRenewed: false }
  }

  async function bySession(secret: string, via: 'header' | 'cookie', address: string): Promise<Caller> {
    const session = await sessions.open(secret, address)
    if (session) return { ...session, via, isUnknown: false }
    return via === 'header' ? byToken(secret, address) : unknown(via, address)
  }

  return {
    /** The header has precedence over the cookie. `queryToken` is for the wires that accept one. */
    async identify(request: Asked, queryToken?: string): Promise<Caller> {
      const secret = readBearer(request.headers.authorization) ?? queryToken
      if (secret !== undefined) {
        return hasSessionForm(secret) ? bySession(secret, 'header', request.ip) : byToken(secret, request.ip)
      }
      const cookie = readCookie(request)
      if (cookie !== undefined) return bySession(cookie, 'cookie', request.ip)
      return { actor: anonymous(request.ip), via: 'nothing', isUnknown: false, wasRenewed: false }
    },

    /** Who a request's caller is now: by this session, by none (null), or by the credential that it came with. */
    async identifyActor(request: Asked, session?: string | null): Promise<Actor> {
      if (session === null) return anonymous(request.ip)
      const caller = await (session ? bySession(session, 'header', request.ip) : this.identify(request))
      return caller.actor
    },
  }
}

const unknown = (via: Caller['via'], address: string): Caller => ({
  actor: anonymous(address),
  via,
  isUnknown: true,
  wasRenewed: false,
})

/** A header without a usable token counts as an unknown credential, not as the absence of one. */
function readBearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  return /^(?:bearer|token) +(\S+) *$/i.exec(header)?.[1] ?? ''
}

export function readCookie({ headers: { cookie: header } }: Asked): string | undefined {
  if (!header?.includes(sessionCookie)) return undefined
  for (const pair of header.split(';')) {
    const [name, value] = pair.split('=', 2)
    if (name?.trim() === sessionCookie) return value?.trim()
  }
  return undefined
}

/** Whether the page that sent this request is from this server: same scheme, host and port. */
export function isSameOrigin(request: Asked, baseUrl: string | undefined): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || origin === originOf(request, baseUrl)
}
