/** Users: oneself and others. */
import type { Self } from '../../../forge/access/self.ts'
import { notFound } from '../../../forge/failures.ts'
import { list, ok, raw } from '../answer.ts'
import { anyone, signedIn } from '../doors.ts'
import { allSince, pageOf, slice } from '../outcomes.ts'
import { readId } from '../query.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { readOrder } from '../repositories/repository-body.ts'
import { type Call, type Route, route, usualPage } from '../route.ts'
import { Shape } from '../schemas.ts'
import { presentOwnProfile, presentProfile, presentUser } from './present-people.ts'
import { profileShape, readProfile } from './profile-body.ts'

async function showOwn(call: Call<Self>) {
  const { forge, actor, target, view } = call
  const profile = await forge.people.getSelf(target)
  if (!forge.people.seesPrivate(actor, profile)) return showProfile(call, profile.login)
  return ok(presentOwnProfile(profile, await forge.people.countAround(profile.id), view))
}

async function showProfile({ forge, actor, view }: Call, login: string) {
  const profile = await forge.people.get(login)
  const counts = await forge.people.countAround(profile.id)
  const shown = forge.people.seesPrivate(actor, profile) ? profile : { ...profile, email: null }
  return ok(presentProfile(shown, counts, view))
}

export const userRoutes: readonly Route[] = [
  route('GET /user', {
    id: 'get-the-authenticated-user',
    summary: 'Oneself.',
    door: signedIn,
    handle: showOwn,
  }),
  route('PATCH /user', {
    id: 'update-the-authenticated-user',
    summary: 'Changes one’s own profile.',
    door: signedIn,
    resource: 'User',
    scopes: ['user'],
    permission: 'profile=write',
    body: Shape(profileShape),
    async handle(call) {
      await call.forge.people.updateSelf(call.target, readProfile(call.body))
      return showOwn(call)
    },
  }),
  route('GET /users', {
    id: 'list-users',
    summary: 'Every user, by id, after `since`.',
    door: anyone,
    pageSize: usualPage,
    handle: (call) => allSince(call, (since, limit) => call.forge.people.list('user', since, limit), presentUser),
  }),
  route('GET /users/:username', {
    id: 'get-a-user',
    summary: 'A user or an organisation by its name.',
    door: anyone,
    handle: (call) => showProfile(call, call.params.username),
  }),
  route('GET /user/:account_id', {
    id: 'get-a-user-by-id',
    summary: 'A user or an organisation by its id.',
    door: anyone,
    async handle(call) {
      const { login } = await call.forge.people.getById(readId(call.params.account_id))
      return showProfile(call, login)
    },
  }),
  route('GET /users/:username/repos', {
    id: 'list-repositories-for-a-user',
    summary: 'Repositories of a user, as far as one may see them.',
    door: anyone,
    permission: 'metadata=read',
    pageSize: usualPage,
    async handle({ forge, actor, params, query, page, view }) {
      const owner = await forge.people.get(params.username)
      const order = readOrder(query, 'full_name')
      const type = query.oneOf('type', ['all', 'owner', 'member'], 'owner')
      return pageOf(forge.repositoryLists.listOfUser(actor, owner, type, order, page), presentListedRepository, view)
    },
  }),
  route('GET /user/emails', {
    id: 'list-email-addresses',
    summary: 'One’s own addresses.',
    door: signedIn,
    scopes: ['user:email'],
    permission: 'email_addresses=read',
    pageSize: usualPage,
    async handle({ forge, target, page }) {
      const { email } = await forge.people.getSelf(target)
      const all = email === null ? [] : [{ email, primary: true, verified: true, visibility: 'private' }]
      return list(slice(all, page), (each) => each)
    },
  }),
  route('GET /avatars/:account_id', {
    id: 'get-an-avatar',
    summary: 'An account’s picture: its initial on a colour of its own.',
    door: anyone,
    isFree: true,
    async handle({ forge, params }) {
      const { id, login } = await forge.people.getById(readId(params.account_id))
      const initial = login[0]?.toUpperCase() ?? ''
      if (!/^[A-Z0-9]$/.test(initial)) throw notFound()
      const hue = (id * 137) % 360
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="hsl(${hue} 45% 45%)"/><text x="20" y="27" font-size="20" text-anchor="middle" font-family="sans-serif" fill="#fff">${initial}</text></svg>`
      return raw('image/svg+xml', Buffer.from(svg))
    },
  }),
]
