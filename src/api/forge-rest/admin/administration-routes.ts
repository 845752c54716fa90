/** Routes for site admins: create users, organisations and tokens, suspend users, lift bans. */
import { accountNameRule, isAccountName } from '../../../accounts/account-rules.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { Organisations } from '../../../forge/people/organisations.ts'
import type { People } from '../../../forge/people/people.ts'
import type { TokenAdministration } from '../../../forge/people/token-administration.ts'
import type { SignOnServices } from '../../../forge/single-sign-on/sign-on-services.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { siteAdmin } from '../doors.ts'
import { done } from '../outcomes.ts'
import { presentOrganisation, presentUser, presentWholeOrganisation } from '../people/present-people.ts'
import { parseTime, readId } from '../query.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { List, NullableText, OneOf, Optional, Shape, Text, Type } from '../schemas.ts'
import { presentSignOn, SignOnBody, toSignOnChange } from '../single-sign-on/sign-on-body.ts'
import { presentAuthorization } from './present-authorization.ts'

const admin = { door: siteAdmin, resource: 'User' } as const

function demandLogin(login: string): void {
  if (isAccountName(login)) return
  throw invalidField('login', 'invalid', `A login has ${accountNameRule}.`)
}

const Permissions = Type.Record(Type.String(), OneOf('read', 'write', 'admin'))

type Needs = {
  organisations: Organisations
  people: People
  singleSignOn: SignOnServices
  tokenAdministration: TokenAdministration
}

export const administrationRoutes = ({
  organisations,
  people,
  singleSignOn,
  tokenAdministration,
}: Needs): readonly Route[] => [
  route('POST /admin/users', {
    ...admin,
    id: 'create-a-user',
    summary: 'Makes a user. They sign in with a token that an admin makes for them.',
    body: Shape({ login: Text(39, 1), email: Optional(NullableText(255)) }),
    async handle({ target, body, view }) {
      demandLogin(body.login)
      const user = await people.createUser(target, { login: body.login, email: body.email ?? undefined })
      return created(presentUser(user, view))
    },
  }),
  route('POST /admin/organizations', {
    ...admin,
    id: 'create-an-organization',
    summary: 'Makes the organisation `login`; `admin` is its first owner.',
    resource: 'Organization',
    body: Shape({ login: Text(39, 1), admin: Text(39, 1), profile_name: Optional(Text(255)) }),
    async handle({ target, body, view }) {
      demandLogin(body.login)
      const draft = { login: body.login, owner: body.admin, name: body.profile_name }
      return created(presentOrganisation(await organisations.create(target, draft), view))
    },
  }),
  route('PATCH /admin/organizations/:org', {
    ...admin,
    id: 'administer-an-organization',
    summary: 'Sets an organisation’s plan, and its single sign-on: `sso` {required, kind, …}, or null for none.',
    resource: 'Organization',
    body: Shape({ plan: Optional(OneOf('free', 'enterprise')), sso: Optional(SignOnBody) }),
    async handle({ target, params, body, view }) {
      const { providers } = singleSignOn
      const { plan, sso } = body
      const changed = await organisations.administer(target, params.org, omitUndefined({ plan }), (trx, id) =>
        sso === undefined ? undefined : providers.setWithin(trx, target, id, toSignOnChange(sso)),
      )
      const counts = await people.countAround(changed.id)
      const whole = presentWholeOrganisation(changed, true, counts, view)
      return ok({ ...whole, sso: presentSignOn(await providers.find(changed.id)) })
    },
  }),
  route('POST /admin/users/:username/authorizations', {
    ...admin,
    id: 'create-an-impersonation-token',
    summary: 'Creates a classic token for a user. It is shown only once.',
    resource: 'Authorization',
    body: Shape({ scopes: Optional(List(Text(100))), note: Optional(NullableText(255)) }),
    async handle({ target, params, body, view }) {
      const draft = { kind: 'classic' as const, scopes: body.scopes ?? [], note: body.note ?? '' }
      const { token, text } = await tokenAdministration.make(target, params.username, draft)
      return created(presentAuthorization(token, text, view))
    },
  }),
  route('POST /admin/users/:username/tokens', {
    ...admin,
    id: 'create-a-token',
    summary:
      'Creates a token of any kind for a user, or an installation token for an organisation. It is shown only once. A fine-grained token covers what `resource_owner` owns.',
    resource: 'Token',
    body: Shape({
      kind: OneOf('classic', 'fine-grained', 'oauth', 'app-user', 'installation', 'workflow'),
      note: Optional(Text(255)),
      scopes: Optional(List(Text(100))),
      permissions: Optional(Permissions),
      repositories: Optional(Type.Union([OneOf('all', 'none'), List(Text(200))])),
      resource_owner: Optional(Text(39, 1)),
      expires_at: Optional(NullableText(40)),
    }),
    async handle({ target, params, body }) {
      const { kind, expires_at: expiry, resource_owner: resourceOwner, ...rest } = body
      const expiresAt = expiry ? parseTime('expires_at', expiry) : undefined
      const draft = { kind, ...omitUndefined({ ...rest, resourceOwner, expiresAt }) }
      const { token, text } = await tokenAdministration.make(target, params.username, draft)
      return created({
        ...{ id: token.id, kind: token.kind },
        ...(token.resourceOwner && { resource_owner: token.resourceOwner.name }),
        token: text,
      })
    },
  }),
  route('DELETE /admin/tokens/:token_id', {
    ...admin,
    id: 'revoke-a-token',
    summary: 'Revokes a token.',
    handle: ({ target, params }) => done(tokenAdministration.revoke(target, readId(params.token_id))),
  }),
  route('DELETE /admin/tokens/:token_id/ban', {
    ...admin,
    id: 'lift-a-ban',
    summary: 'Lifts the ban of a token that kept sending requests while it was limited.',
    handle: ({ target, params }) => done(tokenAdministration.liftBan(target, readId(params.token_id))),
  }),
  route('PUT /users/:username/suspended', {
    ...admin,
    id: 'suspend-a-user',
    summary: 'Suspends a user: all their requests are refused.',
    handle: ({ target, params }) => done(people.suspend(target, params.username, true)),
  }),
  route('DELETE /users/:username/suspended', {
    ...admin,
    id: 'unsuspend-a-user',
    summary: 'Ends a suspension.',
    handle: ({ target, params }) => done(people.suspend(target, params.username, false)),
  }),
]
