/** Users: oneself and others. */
import { requireSignIn } from '../../../accounts/actor.ts'
import { notFound } from '../../../forge/faults.ts'
import { list, ok } from '../answer.ts'
import { presentOrganisation, presentOwnProfile, presentProfile, presentUser } from '../present/people.ts'
import { presentListedRepository } from '../present/repository.ts'
import { sinceLink } from '../query.ts'
import { anyone, type Call, type Route, route, signedIn, usualPage } from '../route.ts'
import { NullableText, Optional, Shape, Text } from '../shapes.ts'

async function showOwn({ forge, actor, view }: Call) {
  requireSignIn(actor)
  const profile = await forge.people.getById(actor.account.id)
  return ok(presentOwnProfile(profile, await forge.people.countRepositories(profile.id), view))
}

async function showProfile({ forge, actor, view }: Call, login: string) {
  const profile = await forge.people.get(login)
  const counts = await forge.people.countRepositories(profile.id)
  // An address is for its owner, and for the admins.
  const isNear = actor.account?.id === profile.id || actor.account?.role === 'admin'
  return ok(presentProfile(isNear ? profile : { ...profile, email: null }, counts, view))
}

export const userRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/user',
    id: 'get-the-authenticated-user',
    summary: 'Oneself.',
    door: signedIn,
    handle: showOwn,
  }),
  route({
    method: 'PATCH',
    path: '/user',
    id: 'update-the-authenticated-user',
    summary: 'Changes one’s own profile.',
    door: signedIn,
    resource: 'User',
    scopes: ['user'],
    permission: 'profile=write',
    body: Shape({
      name: Optional(Text(255)),
      email: Optional(NullableText(255)),
      blog: Optional(NullableText(255)),
      company: Optional(NullableText(255)),
      location: Optional(NullableText(255)),
      bio: Optional(NullableText(1000)),
    }),
    async handle(call) {
      const { name, email, blog, company, location, bio } = call.body
      await call.forge.people.updateSelf(call.actor, {
        ...(name !== undefined && { name }),
        ...(email !== undefined && { email: email?.toLowerCase() ?? null }),
        ...(blog !== undefined && { website: blog }),
        ...(company !== undefined && { company }),
        ...(location !== undefined && { location }),
        ...(bio !== undefined && { bio }),
      })
      return showOwn(call)
    },
  }),
  route({
    method: 'GET',
    path: '/users',
    id: 'list-users',
    summary: 'Every user, by id, after `since`.',
    door: anyone,
    pageSize: usualPage,
    async handle({ forge, query, page, view, address }) {
      const users = await forge.people.list('user', query.whole('since', 0), page.limit)
      const more = users.length === page.limit ? { link: sinceLink(address, users.at(-1)!.id) } : undefined
      return ok(
        users.map((user) => presentUser(user, view)),
        more,
      )
    },
  }),
  route({
    method: 'GET',
    path: '/users/:username',
    id: 'get-a-user',
    summary: 'A user or an organisation by its name.',
    door: anyone,
    handle: (call) => showProfile(call, call.params.username!),
  }),
  route({
    method: 'GET',
    path: '/user/:account_id',
    id: 'get-a-user-by-id',
    summary: 'A user or an organisation by its id.',
    door: anyone,
    async handle(call) {
      const id = /^\d{1,15}$/.test(call.params.account_id!) ? Number(call.params.account_id) : 0
      const { login } = await call.forge.people.getById(id)
      return showProfile(call, login)
    },
  }),
  route({
    method: 'GET',
    path: '/users/:username/repos',
    id: 'list-repositories-for-a-user',
    summary: 'Repositories of a user, as far as one may see them.',
    door: anyone,
    permission: 'metadata=read',
    pageSize: usualPage,
    async handle({ forge, actor, params, query, page, view }) {
      const owner = await forge.people.get(params.username!)
      const sort = query.oneOf('sort', ['created', 'updated', 'pushed', 'full_name'], 'full_name')
      const direction = query.oneOf('direction', ['asc', 'desc'], sort === 'full_name' ? 'asc' : 'desc')
      const found = await forge.repositoryLists.listOf(actor, owner, 'all', { sort, direction }, page)
      return list(found, (repository) => presentListedRepository(repository, view))
    },
  }),
  route({
    method: 'GET',
    path: '/users/:username/orgs',
    id: 'list-organizations-for-a-user',
    summary: 'Organisations that a user is a public member of.',
    door: anyone,
    pageSize: usualPage,
    async handle({ forge, actor, params, page, view }) {
      const user = await forge.people.get(params.username!, 'user')
      return list(await forge.organisations.listOf(actor, user, page), (found) => presentOrganisation(found, view))
    },
  }),
  route({
    method: 'GET',
    path: '/user/orgs',
    id: 'list-organizations-for-the-authenticated-user',
    summary: 'Organisations that one is a member of.',
    door: signedIn,
    scopes: ['user', 'read:org'],
    pageSize: usualPage,
    async handle({ forge, actor, page, view }) {
      requireSignIn(actor)
      const self = await forge.people.getById(actor.account.id)
      return list(await forge.organisations.listOf(actor, self, page), (found) => presentOrganisation(found, view))
    },
  }),
  route({
    method: 'GET',
    path: '/users/:username/subscriptions',
    id: 'list-repositories-watched-by-a-user',
    summary: 'Repositories that a user watches.',
    door: anyone,
    pageSize: usualPage,
    async handle({ forge, actor, params, page, view }) {
      const user = await forge.people.get(params.username!, 'user')
      const found = await forge.repositoryLists.listWatched(actor, user, page)
      return list(found, (repository) => presentListedRepository(repository, view))
    },
  }),
  route({
    method: 'GET',
    path: '/user/subscriptions',
    id: 'list-repositories-watched-by-the-authenticated-user',
    summary: 'Repositories that one watches.',
    door: signedIn,
    permission: 'watching=read',
    pageSize: usualPage,
    async handle({ forge, actor, page, view }) {
      requireSignIn(actor)
      const found = await forge.repositoryLists.listWatched(actor, actor.account, page)
      return list(found, (repository) => presentListedRepository(repository, view))
    },
  }),
  route({
    method: 'GET',
    path: '/user/emails',
    id: 'list-email-addresses',
    summary: 'One’s own addresses.',
    door: signedIn,
    scopes: ['user:email'],
    permission: 'email_addresses=read',
    pageSize: usualPage,
    async handle({ forge, actor }) {
      requireSignIn(actor)
      const { email } = await forge.people.getById(actor.account.id)
      return ok(email === null ? [] : [{ email, primary: true, verified: true, visibility: 'private' }])
    },
  }),
  route({
    method: 'GET',
    path: '/avatars/:account_id',
    id: 'get-an-avatar',
    summary: 'An account’s picture: its initial on a colour of its own.',
    door: anyone,
    isFree: true,
    async handle({ forge, params }) {
      const { id, login } = await forge.people.getById(Number(params.account_id) || 0)
      const initial = login[0]?.toUpperCase() ?? ''
      if (!/^[A-Z0-9]$/.test(initial)) throw notFound()
      const hue = (id * 137) % 360
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="hsl(${hue} 45% 45%)"/><text x="20" y="27" font-size="20" text-anchor="middle" font-family="sans-serif" fill="#fff">${initial}</text></svg>`
      return { status: 200, raw: { type: 'image/svg+xml', bytes: Buffer.from(svg) } }
    },
  }),
]
