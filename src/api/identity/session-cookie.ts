/** The session cookie: set by `create_session`, renewed by use, cleared by `delete_session`. */
import { sessionLifetimeMs } from '../../accounts/sign-in/sessions.ts'
import { sessionCookie } from './authenticate.ts'
import type { CredentialRequest } from './credentials.ts'

/** The value of `Set-Cookie`; without a token it clears the cookie. */
export function formatCookie(
  { protocol }: CredentialRequest,
  token: string | undefined,
  baseUrl: string | undefined,
): string {
  const isSecure = baseUrl ? baseUrl.startsWith('https:') : protocol === 'https'
  const age = token === undefined ? 0 : sessionLifetimeMs / 1000
  const attributes = `Max-Age=${age}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${sessionCookie}=${token ?? ''}; ${attributes}`
}
