/** An organisation's identity provider: its settings and their validation. */
import { X509Certificate } from 'node:crypto'
import { invalidField } from '../failures.ts'

export type SamlProvider = {
  readonly kind: 'saml'
  /** The provider's own name: its entity id. */
  readonly issuer: string
  /** The URL where users sign in. */
  readonly entryPoint: string
  /** In PEM; a response signed by any of them is valid. */
  readonly certificates: readonly string[]
}

export type OpenIdProvider = {
  readonly kind: 'oidc'
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Settings that are not set yet are left out. */
export type ProviderSettings = Partial<Omit<SamlProvider, 'kind'>> & Partial<Omit<OpenIdProvider, 'kind'>>

export type SingleSignOn = {
  readonly organisationId: number
  readonly isRequired: boolean
  readonly kind: 'saml' | 'oidc'
  readonly settings: ProviderSettings
  readonly signingKey: string
  readonly updatedAt: number
}

export type SingleSignOnChange = {
  readonly isRequired?: boolean
  readonly kind?: 'saml' | 'oidc'
} & ProviderSettings

/** Undefined if a setting is still missing. */
export function toProvider({ kind, settings }: SingleSignOn): SamlProvider | OpenIdProvider | undefined {
  const { issuer, entryPoint, certificates, clientId, clientSecret } = settings
  if (!issuer) return undefined
  if (kind === 'saml')
    return entryPoint && certificates?.length ? { kind, issuer, entryPoint, certificates } : undefined
  return clientId && clientSecret ? { kind, issuer, clientId, clientSecret } : undefined
}

/** `mayBePlain`: whether the operator allows this origin without TLS. */
export function demandSensible(kind: 'saml' | 'oidc', change: ProviderSettings, mayBePlain: MayBePlain): void {
  const { issuer, entryPoint, certificates } = change
  if (entryPoint !== undefined) demandUrl('entry_point', entryPoint, () => true)
  if (issuer !== undefined && kind === 'oidc') demandUrl('issuer', issuer, mayBePlain)
  for (const certificate of certificates ?? []) demandCertificate(certificate)
}

export type MayBePlain = (origin: string) => boolean

function demandUrl(field: string, text: string, mayBePlain: MayBePlain): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.protocol === 'http:'
  if (!url || (url.protocol !== 'https:' && !isPlain) || url.username || url.password)
    throw invalidField(`sso.${field}`, 'invalid', 'This must be an https address.')
  if (isPlain && !mayBePlain(url.origin))
    throw invalidField(`sso.${field}`, 'invalid', 'This must be an https address: the settings allow no other there.')
}

function demandCertificate(text: string): void {
  try {
    new X509Certificate(text)
  } catch {
    throw invalidField('sso.certificates', 'invalid', 'This must be an X.509 certificate in PEM form.')
  }
}
