/** The credential of an act, kept for later work: by then a token may have fewer rights, or be revoked. */
import type { Actor } from './actor.ts'

/**
 * `account`: a session, or the server on the account's behalf; the account's rights apply. `source`: another server,
 * whose people have no rights here.
 */
export type KeptCredential = { readonly kind: 'account' | 'source' } | { readonly kind: 'token'; readonly id: number }

export function keepCredential({ account, credential }: Actor): KeptCredential | undefined {
  if (!account) return undefined
  if (credential.kind === 'token') return { kind: 'token', id: credential.token.id }
  return credential.kind === 'session' || credential.kind === 'house' ? { kind: 'account' } : undefined
}
