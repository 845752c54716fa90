/** The tables of single sign-on. */
import type { Generated } from 'kysely'

export type SingleSignOnTable = {
  organisation_id: number
  is_required: number
  kind: 'saml' | 'oidc'
  /** JSON: the provider's address, names and keys. */
  settings: string
  /** Signs the addresses at which tokens are authorised. */
  signing_key: string
  updated_at: number
}

/** The identity of an account at the organisation's provider. It is deleted with the membership. */
export type SignOnIdentityTable = {
  organisation_id: number
  user_id: number
  issuer: string
  subject: string
  created_at: number
}

/** A personal token that may act for its member. It is deleted with the token and with the identity. */
export type CredentialAuthorizationTable = {
  id: Generated<number>
  organisation_id: number
  user_id: number
  token_id: number
  created_at: number
}

/** A started sign-on, kept until its address has expired, so that the address is used only once. */
export type SignOnAttemptTable = {
  id: Generated<number>
  organisation_id: number
  user_id: number
  token_id: number
  address_hash: string
  /** A hash of what the provider sends back: the id of the SAML request, or the `state` of OpenID Connect. */
  reply_hash: string
  /** JSON: secrets of the server until the provider answers. */
  secrets: string
  /** Set when the provider has answered. */
  issuer: string | null
  subject: string | null
  ticket_hash: string | null
  created_at: number
  expires_at: number
}

/** Accepted assertions, for as long as they would be valid. */
export type SignOnAssertionTable = { organisation_id: number; assertion_hash: string; expires_at: number }

export type SingleSignOnSchema = {
  single_sign_on: SingleSignOnTable
  sign_on_identity: SignOnIdentityTable
  credential_authorization: CredentialAuthorizationTable
  sign_on_attempt: SignOnAttemptTable
  sign_on_assertion: SignOnAssertionTable
}
