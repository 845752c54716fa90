/** The interface that SAML and OpenID Connect share: send a user to the provider, and read its answer. */
import { Failure } from '../../lib/failure.ts'
import type { ProvenIdentity } from './identities.ts'

/** This server's addresses for the provider of one organisation. */
export type ServiceAddresses = {
  /** Our name at the provider. */
  readonly entityId: string
  readonly samlConsumer: string
  readonly openIdCallback: string
}

export const addressesOf = (origin: string, login: string): ServiceAddresses => {
  const entityId = `${origin}/orgs/${login}`
  return { entityId, samlConsumer: `${entityId}/saml/consume`, openIdCallback: `${entityId}/oidc/callback` }
}

export type Departure = {
  /** The URL that the user is sent to. */
  readonly url: string
  /** The value that the provider sends back. */
  readonly reply: string
  /** Secrets that the server keeps until then. */
  readonly secrets: Readonly<Record<string, string>>
}

/** An accepted assertion must not be accepted again. */
export type ProvenAssertion = ProvenIdentity & { readonly assertionId: string; readonly expiresAt: number }

/** No real provider has longer subjects. */
export const longestSubject = 1024

/** The reason goes to the log, not to the sender. */
export const refusedAnswer = (): Failure =>
  new Failure('forbidden', 'sign-on-refused', 'The answer of the identity provider was not accepted. Start again.')
