/** The actor: the calling account and its credential. It is the first argument of every operation. */
import { Failure } from '../lib/failure.ts'
import type { Token } from './tokens/token.ts'

declare module '../lib/failure.ts' {
  interface FailureDetail {
    /** The actor, if the refusal must be charged to them. */
    readonly actor?: Actor
  }
}

export const roles = ['admin', 'problem_setter', 'contestant', 'worker'] as const
export type Role = (typeof roles)[number]

export type Account = {
  readonly id: number
  /** A `bot` is the author of what an app does; it never signs in. */
  readonly kind: 'user' | 'organisation' | 'bot'
  readonly name: string
  readonly displayName: string
  readonly role: Role
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly isSuspended: boolean
}

export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'session'; readonly hash: string }
  | { readonly kind: 'token'; readonly token: Token }
  /** An app itself, acting for no account. */
  | { readonly kind: 'app'; readonly app: AppIdentity }
  /** The server itself acts: the command line, a background job. */
  | { readonly kind: 'house' }

/** `key`: by a JSON web token that the app signed. `secret`: by its client id and secret. */
export type AppIdentity = {
  readonly id: number
  readonly clientId: string
  readonly ownerId: number
  readonly by: 'key' | 'secret'
}

export type Actor = {
  readonly account: Account | undefined
  readonly credential: Credential
  /** The address of the request: quotas of callers without an account count by it. */
  readonly address: string
}

export type SignedIn = Actor & { readonly account: Account }

export const anonymous = (address: string): Actor => ({ account: undefined, credential: { kind: 'none' }, address })

/** The server itself, acting for no account: a background job, or the command line. */
export const theServer: Actor = anonymous('house')

/** The server acting for an account, without a session or token and with every scope. */
export const actingFor = (account: Account): SignedIn => ({ account, credential: { kind: 'house' }, address: 'house' })

/** Throws if the actor has not signed in. */
export function requireSignIn(actor: Actor): asserts actor is SignedIn {
  if (actor.account) return demandServed(actor.account)
  throw new Failure('unauthenticated', 'sign-in-needed', 'Sign in first: the call has no valid session or token.')
}

/** Throws if the account is suspended: it keeps its data, but may do nothing. */
export function demandServed({ isSuspended }: Account): void {
  if (isSuspended) throw new Failure('forbidden', 'suspended', 'This account is suspended: ask an admin of the server.')
}

/** Throws if the actor has not signed in, or if their role may not do this. */
export function requireRole(actor: Actor, allowed: readonly Role[], act: string): asserts actor is SignedIn {
  requireSignIn(actor)
  if (may(actor, allowed)) return
  throw new Failure('forbidden', 'role-denied', `Your role (${actor.account.role}) may not ${act}.`)
}

export const may = (actor: Actor, allowed: readonly Role[]): boolean =>
  actor.account !== undefined && allowed.includes(actor.account.role)

export const isAdmin = (actor: Actor): boolean => actor.account?.role === 'admin'
