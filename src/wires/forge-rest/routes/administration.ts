/** What admins of the server do: make users, organisations and tokens, suspend, lift bans. */
import { accountNamePattern } from '../../../accounts/accounts.ts'
import { invalidField } from '../../../forge/faults.ts'
import { created, noContent, ok } from '../answer.ts'
import { presentOrganisation, presentUser, presentWholeOrganisation } from '../present/people.ts'
import { parseTime } from '../query.ts'
import { type Route, route, siteAdmin } from '../route.ts'
import { List, NullableText, OneOf, Optional, Shape, Text, Type } from '../shapes.ts'
import { nodeId, spellTime } from '../view.ts'

const admin = { door: siteAdmin, resource: 'User' } as const

function demandLogin(login: string): void {
  if (new RegExp(accountNamePattern).test(login)) return
  throw invalidField('login', 'invalid', 'A login has 1 to 39 letters, digits or hyphens, with no hyphen at an end.')
}

const Permissions = Type.Record(Type.String(), OneOf('read', 'write', 'admin'))

export const administrationRoutes: readonly Route[] = [
  route({
    ...admin,
    method: 'POST',
    path: '/admin/users',
    id: 'create-a-user',
    summary: 'Makes a user. They sign in with a token that an admin makes for them.',
    body: Shape({ login: Text(39, 1), email: Optional(NullableText(255)) }),
    async handle({ forge, actor, body, view }) {
      demandLogin(body.login)
      const user = await forge.people.createUser(actor, { login: body.login, email: body.email ?? undefined })
      return created(presentUser(user, view))
    },
  }),
  route({
    ...admin,
    method: 'POST',
    path: '/admin/organizations',
    id: 'create-an-organization',
    summary: 'Makes an organisation; `admin` is its first owner.',
    resource: 'Organization',
    body: Shape({ login: Text(39, 1), admin: Text(39, 1), profile_name: Optional(Text(255)) }),
    async handle({ forge, actor, body, view }) {
      demandLogin(body.login)
      const draft = { login: body.login, owner: body.admin, name: body.profile_name }
      return created(presentOrganisation(await forge.organisations.create(actor, draft), view))
    },
  }),
  route({
    ...admin,
    method: 'PATCH',
    path: '/admin/organizations/:org',
    id: 'administer-an-organization',
    summary: 'Sets an organisation’s plan.',
    resource: 'Organization',
    body: Shape({ plan: Optional(OneOf('free', 'enterprise')) }),
    async handle({ forge, actor, params, body, view }) {
      const change = body.plan === undefined ? {} : { plan: body.plan }
      const changed = await forge.organisations.administer(actor, params.org!, change)
      const counts = await forge.people.countRepositories(changed.id)
      return ok(presentWholeOrganisation({ ...changed, role: undefined }, counts, view))
    },
  }),
  route({
    ...admin,
    method: 'POST',
    path: '/admin/users/:username/authorizations',
    id: 'create-an-impersonation-token',
    summary: 'Makes a new classic token for a user, shown this once.',
    resource: 'Authorization',
    body: Shape({ scopes: Optional(List(Text(100))), note: Optional(NullableText(255)) }),
    async handle({ forge, actor, params, body, view }) {
      const draft = { kind: 'classic' as const, scopes: body.scopes ?? [], note: body.note ?? '' }
      const { token, text } = await forge.tokenDesk.make(actor, params.username!, draft)
      return created({
        id: token.id,
        node_id: nodeId('Authorization', token.id),
        url: `${view.base}/authorizations/${token.id}`,
        app: { name: 'Guildhall', url: view.origin, client_id: '0'.repeat(20) },
        token: text,
        hashed_token: null,
        token_last_eight: token.hint,
        note: token.note,
        note_url: null,
        created_at: spellTime(token.createdAt),
        updated_at: spellTime(token.createdAt),
        scopes: token.scopes,
        fingerprint: null,
        expires_at: null,
      })
    },
  }),
  route({
    ...admin,
    method: 'POST',
    path: '/admin/users/:username/tokens',
    id: 'create-a-token',
    summary: 'Makes a token of any kind for a user, shown this once.',
    resource: 'Token',
    body: Shape({
      kind: OneOf('classic', 'fine-grained', 'oauth', 'app-user', 'installation', 'workflow'),
      note: Optional(Text(255)),
      scopes: Optional(List(Text(100))),
      permissions: Optional(Permissions),
      repositories: Optional(Type.Union([OneOf('all', 'none'), List(Text(200))])),
      expires_at: Optional(NullableText(40)),
    }),
    async handle({ forge, actor, params, body }) {
      const { expires_at: expiry, repositories, ...rest } = body
      const { token, text } = await forge.tokenDesk.make(actor, params.username!, {
        kind: rest.kind,
        ...(rest.note !== undefined && { note: rest.note }),
        ...(rest.scopes !== undefined && { scopes: rest.scopes }),
        ...(rest.permissions !== undefined && { permissions: rest.permissions }),
        ...(repositories !== undefined && { repositories }),
        ...(expiry && { expiresAt: parseTime('expires_at', expiry) }),
      })
      return created({ id: token.id, kind: token.kind, token: text })
    },
  }),
  route({
    ...admin,
    method: 'DELETE',
    path: '/admin/tokens/:token_id',
    id: 'revoke-a-token',
    summary: 'Revokes a token.',
    async handle({ forge, actor, params }) {
      await forge.tokenDesk.revoke(actor, Number(params.token_id) || 0)
      return noContent()
    },
  }),
  route({
    ...admin,
    method: 'DELETE',
    path: '/admin/tokens/:token_id/ban',
    id: 'lift-a-ban',
    summary: 'Lifts the ban of a token that went on while it was limited.',
    async handle({ forge, actor, params }) {
      await forge.tokenDesk.liftBan(actor, Number(params.token_id) || 0)
      return noContent()
    },
  }),
  route({
    ...admin,
    method: 'PUT',
    path: '/users/:username/suspended',
    id: 'suspend-a-user',
    summary: 'Suspends a user: every request of theirs is refused.',
    async handle({ forge, actor, params }) {
      await forge.people.suspend(actor, params.username!, true)
      return noContent()
    },
  }),
  route({
    ...admin,
    method: 'DELETE',
    path: '/users/:username/suspended',
    id: 'unsuspend-a-user',
    summary: 'Ends a suspension.',
    async handle({ forge, actor, params }) {
      await forge.people.suspend(actor, params.username!, false)
      return noContent()
    },
  }),
]
