/** The session as a cookie: set by `create_session`, renewed by use, cleared by `delete_session`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionLifetimeMs } from '../accounts/sign-in/sessions.ts'
import { sessionCookie } from './authenticate.ts'

/** Sets the cookie; without a token it clears it. */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string | undefined,
  baseUrl: string | undefined,
): void {
  const isSecure = baseUrl ? baseUrl.startsWith('https:') : request.protocol === 'https'
  const age = token === undefined ? 0 : sessionLifetimeMs / 1000
  const attributes = `Max-Age=${age}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  reply.header('set-cookie', `${sessionCookie}=${token ?? ''}; ${attributes}`)
}
