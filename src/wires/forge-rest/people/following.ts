/** Following: whom users follow, and who follows them. */
import { anyone, signedIn } from '../doors.ts'
import { done, pageOf, whether } from '../outcomes.ts'
import { type Route, route, usualPage } from '../route.ts'
import { presentUser } from './present-people.ts'

const listOf = (which: 'followers' | 'following', id: string, summary: string): Route =>
  route(`GET /users/:username/${which}`, {
    id,
    summary,
    door: anyone,
    pageSize: usualPage,
    async handle({ forge, params, page, view }) {
      const user = await forge.people.get(params.username)
      return pageOf(forge.following.list(which, user, page), presentUser, view)
    },
  })

const ownListOf = (which: 'followers' | 'following', id: string, summary: string): Route =>
  route(`GET /user/${which}`, {
    id,
    summary,
    door: signedIn,
    permission: 'followers=read',
    pageSize: usualPage,
    handle: ({ forge, target, page, view }) =>
      pageOf(forge.following.list(which, target.actor.account, page), presentUser, view),
  })

const changing = { door: signedIn, scopes: ['user:follow'], permission: 'followers=write' } as const

export const followingRoutes: readonly Route[] = [
  listOf('followers', 'list-followers-of-a-user', 'Who follows a user, the first first.'),
  listOf('following', 'list-the-people-a-user-follows', 'Whom a user follows.'),
  ownListOf('followers', 'list-followers-of-the-authenticated-user', 'Who follows one.'),
  ownListOf('following', 'list-the-people-the-authenticated-user-follows', 'Whom one follows.'),
  route('GET /users/:username/following/:target_user', {
    id: 'check-if-a-user-follows-another-user',
    summary: 'Whether one user follows another: 204 or 404.',
    door: anyone,
    async handle({ forge, params }) {
      const [user, target] = await Promise.all([
        forge.people.get(params.username),
        forge.people.get(params.target_user),
      ])
      return whether(forge.following.follows(user, target))
    },
  }),
  route('GET /user/following/:username', {
    id: 'check-if-a-person-is-followed-by-the-authenticated-user',
    summary: 'Whether one follows somebody: 204 or 404.',
    door: signedIn,
    permission: 'followers=read',
    async handle({ forge, target, params }) {
      return whether(forge.following.follows(target.actor.account, await forge.people.get(params.username)))
    },
  }),
  route('PUT /user/following/:username', {
    ...changing,
    id: 'follow-a-user',
    summary: 'Follows somebody. An account follows 10,000 others at most.',
    handle: ({ forge, target, params }) => done(forge.following.follow(target, params.username)),
  }),
  route('DELETE /user/following/:username', {
    ...changing,
    id: 'unfollow-a-user',
    summary: 'Follows them no more.',
    handle: ({ forge, target, params }) => done(forge.following.unfollow(target, params.username)),
  }),
]
