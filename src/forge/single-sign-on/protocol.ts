/** The interface that SAML and OpenID Connect share: send a person to the provider, and read its answer. */
import { Failure } from '../../lib/failure.ts'
import type { ProvenIdentity } from './identities.ts'

/** Where this server is for the provider of one organisation. */
export type ServiceAddresses = {
  /** Our name to the provider. */
  readonly entityId: string
  readonly samlConsumer: string
  readonly openIdCallback: string
}

export const addressesOf = (origin: string, login: string): ServiceAddresses => {
  const entityId = `${origin}/orgs/${login}`
  return { entityId, samlConsumer: `${entityId}/saml/consume`, openIdCallback: `${entityId}/oidc/callback` }
}

export type Departure = {
  /** Where the person is sent. */
  readonly url: string
  /** What the provider sends back. */
  readonly reply: string
  /** What only the server must know until then. */
  readonly secrets: Readonly<Record<string, string>>
}

/** An assertion that was accepted must not come again. */
export type ProvenAssertion = ProvenIdentity & { readonly assertionId: string; readonly expiresAt: number }

/** A subject longer than this is none that a provider gives. */
export const longestSubject = 1024

/** Why is told to the log, not to whoever sent it. */
export const refusedAnswer = (): Failure =>
  new Failure('forbidden', 'sign-on-refused', 'The answer of the identity provider was not accepted. Start again.')
