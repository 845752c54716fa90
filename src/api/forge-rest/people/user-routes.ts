/** Routes of users: the caller and others. */
import type { SelfAccess } from '../../../forge/access/self-access.ts'
import { notFound } from '../../../forge/failures.ts'
import type { People } from '../../../forge/people/people.ts'
import type { RepositoryLists } from '../../../forge/repositories/repository-lists.ts'
import { anyone, signedIn } from '../doors.ts'
import { allSince, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { readOrder } from '../repositories/repository-body.ts'
import { ok, raw } from '../rest-answer.ts'
import { type ForgeCall, type Route, route, usualPage } from '../route.ts'
import { Shape } from '../schemas.ts'
import { presentOwnProfile, presentProfile, presentUser } from './present-people.ts'
import { profileShape, readProfile } from './profile-body.ts'

async function showOwn(people: People, { actor, target, view }: ForgeCall<SelfAccess>) {
  const { profile, counts } = await people.getWhole({ id: target.actor.account.id })
  if (people.seesPrivate(actor, profile)) return ok(presentOwnProfile(profile, counts, view))
  return ok(presentProfile(profile.isEmailPublic ? profile : { ...profile, email: null }, counts, view))
}

async function showProfile(people: People, { actor, view }: ForgeCall, who: { login: string } | { id: number }) {
  const { profile, counts } = await people.getWhole(who)
  const isShown = profile.isEmailPublic || people.seesPrivate(actor, profile)
  const shown = isShown ? profile : { ...profile, email: null }
  return ok(presentProfile(shown, counts, view))
}

type Needs = {
  people: People
  repositoryLists: RepositoryLists
}

export const userRoutes = ({ people, repositoryLists }: Needs): readonly Route[] => [
  route('GET /user', {
    id: 'get-the-authenticated-user',
    summary: 'Oneself.',
    door: signedIn,
    handle: (call) => showOwn(people, call),
  }),
  route('PATCH /user', {
    id: 'update-the-authenticated-user',
    summary: 'Changes your own profile.',
    door: signedIn,
    resource: 'User',
    scopes: ['user'],
    permission: 'profile=write',
    body: Shape(profileShape),
    async handle(call) {
      await people.updateSelf(call.target, readProfile(call.body))
      return showOwn(people, call)
    },
  }),
  route('GET /users', {
    id: 'list-users',
    summary: 'Every user, by id, after `since`.',
    door: anyone,
    pageSize: usualPage,
    handle: (call) => allSince(call, (since, limit) => people.list('user', since, limit), presentUser),
  }),
  route('GET /users/:username', {
    id: 'get-a-user',
    summary: 'A user or an organisation by its name.',
    door: anyone,
    handle: (call) => showProfile(people, call, { login: call.params.username }),
  }),
  route('GET /user/:account_id', {
    id: 'get-a-user-by-id',
    summary: 'A user or an organisation by its id.',
    door: anyone,
    handle: (call) => showProfile(people, call, { id: readId(call.params.account_id) }),
  }),
  route('GET /users/:username/repos', {
    id: 'list-repositories-for-a-user',
    summary: 'Lists the repositories of a user that you can see.',
    door: anyone,
    permission: 'metadata=read',
    pageSize: usualPage,
    async handle({ actor, params, query, page, view }) {
      const owner = await people.get(params.username)
      const order = readOrder(query, 'full_name')
      const type = query.oneOf('type', ['all', 'owner', 'member'], 'owner')
      return pageOf(repositoryLists.listOfUser(actor, owner, type, order, page), presentListedRepository, view)
    },
  }),
  route('GET /avatars/:account_id', {
    id: 'get-an-avatar',
    summary: 'Shows an account’s picture: its initial on a colour.',
    door: anyone,
    isFree: true,
    async handle({ params }) {
      const { id, login } = await people.getById(readId(params.account_id))
      const initial = login[0]?.toUpperCase() ?? ''
      if (!/^[A-Z0-9]$/.test(initial)) throw notFound()
      const hue = (id * 137) % 360
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="hsl(${hue} 45% 45%)"/><text x="20" y="27" font-size="20" text-anchor="middle" font-family="sans-serif" fill="#fff">${initial}</text></svg>`
      return raw('image/svg+xml', Buffer.from(svg))
    },
  }),
]
