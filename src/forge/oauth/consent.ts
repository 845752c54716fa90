/** The proof that a consent form was shown in this session and accepted as shown. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SignedIn } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'
import type { App } from '../apps/app.ts'

/** Signed with the session's secret, which no other site knows: a form made up by another site has no valid proof. */
export function proveShown({ credential }: SignedIn, app: App, shown: readonly unknown[]): string {
  if (credential.kind !== 'session') throw sessionNeeded()
  // An app that was since renamed, or asks for more, is not the one that was shown.
  const what = [app.id, app.updatedAt.getTime(), app.permissions, ...shown]
  return createHmac('sha256', credential.hash).update(JSON.stringify(what)).digest('base64url')
}

export function isProven(actor: SignedIn, app: App, shown: readonly unknown[], proof: string): boolean {
  const expected = Buffer.from(proveShown(actor, app, shown))
  const given = Buffer.from(proof)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export const sessionNeeded = (): Failure =>
  new Failure('unauthenticated', 'sign-in-needed', 'Sign in on this page first: a token will not do.')
