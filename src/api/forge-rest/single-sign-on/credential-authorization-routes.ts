/** Tokens authorised for an organisation with single sign-on, and the identities behind them. */
import type { People } from '../../../forge/people/people.ts'
import type { CredentialAuthorization } from '../../../forge/single-sign-on/authorizations.ts'
import type { Identity } from '../../../forge/single-sign-on/identities.ts'
import type { SignOnServices } from '../../../forge/single-sign-on/sign-on-services.ts'
import { organisation, siteAdmin } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { type Route, route, usualPage } from '../route.ts'

const owned = { door: organisation('owner'), resource: 'Credential' } as const
const administered = { door: siteAdmin, resource: 'Identity' } as const

type Needs = {
  people: People
  singleSignOn: SignOnServices
}

export const credentialAuthorizationRoutes = ({ people, singleSignOn }: Needs): readonly Route[] => [
  route('GET /orgs/:org/credential-authorizations', {
    ...owned,
    id: 'list-saml-sso-authorizations-for-an-organization',
    summary:
      'Classic tokens and SSH keys that are authorised for an organisation with single sign-on; `login` for one member’s.',
    scopes: ['read:org'],
    permission: 'organization_administration=read',
    pageSize: usualPage,
    handle({ target, query, page, view }) {
      const { authorizations } = singleSignOn
      return pageOf(authorizations.list(target, query.text('login') || undefined, page), presentAuthorization, view)
    },
  }),
  route('DELETE /orgs/:org/credential-authorizations/:credential_id', {
    ...owned,
    id: 'remove-a-saml-sso-authorization-for-an-organization',
    summary: 'Ends the authorisation of a token.',
    permission: 'organization_administration=write',
    handle: ({ target, params }) => done(singleSignOn.authorizations.revoke(target, readId(params.credential_id))),
  }),
  route('GET /admin/organizations/:org/identities', {
    ...administered,
    id: 'list-linked-identities',
    summary: 'Lists the provider’s identities of an organisation’s members.',
    pageSize: usualPage,
    async handle({ target, params, page, view }) {
      const { id } = await people.get(params.org, 'organisation')
      return pageOf(singleSignOn.identities.list(target, id, page), presentIdentity, view)
    },
  }),
  route('DELETE /admin/organizations/:org/identities/:username', {
    ...administered,
    id: 'unlink-an-identity',
    summary: 'Unlinks a member from the provider’s identity; the authorisations of their tokens end with it.',
    async handle({ target, params }) {
      const { id } = await people.get(params.org, 'organisation')
      const user = await people.get(params.username, 'user')
      return done(singleSignOn.identities.unlink(target, id, user.id))
    },
  }),
]

const spellTime = (time: Date | undefined): string | null => time?.toISOString().replace(/\.\d+Z$/, 'Z') ?? null

const presentAuthorization = (found: CredentialAuthorization) => ({
  login: found.login,
  credential_id: found.id,
  ...(found.fingerprint === undefined
    ? { credential_type: 'personal access token', token_last_eight: found.hint, scopes: found.scopes }
    : { credential_type: 'SSH key', fingerprint: found.fingerprint }),
  credential_authorized_at: spellTime(found.authorizedAt),
  credential_accessed_at: spellTime(found.usedAt),
  authorized_credential_id: found.id,
  authorized_credential_title: found.fingerprint === undefined ? null : found.note,
  authorized_credential_note: found.fingerprint === undefined ? found.note : null,
  authorized_credential_expires_at: spellTime(found.expiresAt),
})

const presentIdentity = ({ login, issuer, subject, linkedAt }: Identity) => ({
  login,
  issuer,
  subject,
  linked_at: spellTime(linkedAt),
})
