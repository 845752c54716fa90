/** An organisation's single sign-on: the body that a site admin sends, and the presenter. */

import type { SingleSignOn, SingleSignOnChange } from '../../../forge/single-sign-on/provider.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { Flag, OneOf, Optional, Shape, Text, Type } from '../schemas.ts'

const Address = Text(2048, 1)

const SignOnShape = Shape({
  required: Optional(Flag),
  kind: Optional(OneOf('saml', 'oidc')),
  issuer: Optional(Address),
  entry_point: Optional(Address),
  /** Two while a provider rotates its key. */
  certificates: Optional(Type.Array(Text(16_384, 1), { minItems: 1, maxItems: 4 })),
  client_id: Optional(Text(512, 1)),
  client_secret: Optional(Text(512, 1)),
})
export const SignOnBody = Type.Union([SignOnShape, Type.Null()])

export type SentSignOn = {
  required?: boolean
  kind?: 'saml' | 'oidc'
  issuer?: string
  entry_point?: string
  certificates?: string[]
  client_id?: string
  client_secret?: string
} | null

export const toSignOnChange = (sent: SentSignOn): SingleSignOnChange | null =>
  sent &&
  omitUndefined({
    isRequired: sent.required,
    kind: sent.kind,
    issuer: sent.issuer,
    entryPoint: sent.entry_point,
    certificates: sent.certificates,
    clientId: sent.client_id,
    clientSecret: sent.client_secret,
  })

/** The client secret is never shown again. */
export function presentSignOn(found: SingleSignOn | undefined) {
  if (!found) return null
  const { isRequired: required, kind, settings } = found
  const { issuer = null, entryPoint = null, certificates = [], clientId = null } = settings
  return kind === 'saml'
    ? { required, kind, issuer, entry_point: entryPoint, certificates }
    : { required, kind, issuer, client_id: clientId }
}
