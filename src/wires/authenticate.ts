/** From a request's header, cookie or query to the actor behind it: the same for every wire. */
import type { FastifyRequest } from 'fastify'
import { type Actor, anonymous } from '../accounts/actor.ts'
import { hasSessionForm, type Sessions } from '../accounts/sessions.ts'
import type { Tokens } from '../accounts/tokens.ts'
import { type Awaitable, whenKnown } from '../base/awaitable.ts'

export const sessionCookie = 'guildhall_session'

export type Caller = {
  readonly actor: Actor
  /** How the credential came. A cookie is sent by the browser unasked, so its requests need a look at their origin. */
  readonly via: 'nothing' | 'header' | 'cookie'
  /** A credential came, but nobody has it. */
  readonly isUnknown: boolean
  /** The session was renewed by this use: a cookie that carried it wants renewing too. */
  readonly wasRenewed: boolean
}

export type Authenticate = ReturnType<typeof makeAuthenticate>

export function makeAuthenticate({ sessions, tokens }: { sessions: Sessions; tokens: Tokens }) {
  function byToken(secret: string, address: string): Awaitable<Caller> {
    return whenKnown(tokens.find(secret), (found) => {
      if (!found) return unknown('header', address)
      const { account, token } = found
      const actor: Actor = { account, credential: { kind: 'token', token }, address }
      return { actor, via: 'header', isUnknown: false, wasRenewed: false }
    })
  }

  async function bySession(secret: string, via: 'header' | 'cookie', address: string): Promise<Caller> {
    const session = await sessions.open(secret, address)
    if (session) return { ...session, via, isUnknown: false }
    return via === 'header' ? byToken(secret, address) : unknown(via, address)
  }

  return {
    /** The header counts before the cookie. `queryToken` is for the wires that take one. */
    identify(request: FastifyRequest, queryToken?: string): Awaitable<Caller> {
      const secret = readBearer(request.headers.authorization) ?? queryToken
      if (secret !== undefined) {
        return hasSessionForm(secret) ? bySession(secret, 'header', request.ip) : byToken(secret, request.ip)
      }
      const cookie = readCookie(request)
      if (cookie !== undefined) return bySession(cookie, 'cookie', request.ip)
      return { actor: anonymous(request.ip), via: 'nothing', isUnknown: false, wasRenewed: false }
    },
  }
}

const unknown = (via: Caller['via'], address: string): Caller => ({
  actor: anonymous(address),
  via,
  isUnknown: true,
  wasRenewed: false,
})

/** A header that is there but says nothing of use is a credential nobody has, not the absence of one. */
function readBearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  return /^(?:bearer|token) +(\S+) *$/i.exec(header)?.[1] ?? ''
}

export function readCookie({ headers: { cookie: header } }: FastifyRequest): string | undefined {
  if (!header?.includes(sessionCookie)) return undefined
  for (const pair of header.split(';')) {
    const [name, value] = pair.split('=', 2)
    if (name?.trim() === sessionCookie) return value?.trim()
  }
  return undefined
}

/** Whether the page that sent this request is this server's own: scheme, host and port. */
export function isSameOrigin(request: FastifyRequest, baseUrl: string | undefined): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || origin === (baseUrl ?? `${request.protocol}://${request.host}`)
}
