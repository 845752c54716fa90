/** Routes that list followers and follow or unfollow users. */
import type { Following } from '../../../forge/people/following.ts'
import type { People } from '../../../forge/people/people.ts'
import { anyone, signedIn } from '../doors.ts'
import { done, pageOf, whether } from '../outcomes.ts'
import { type Route, route, usualPage } from '../route.ts'
import { presentUser } from './present-people.ts'

type Needs = { following: Following; people: People }

const listOf = ({ following, people }: Needs, which: 'followers' | 'following', id: string, summary: string): Route =>
  route(`GET /users/:username/${which}`, {
    id,
    summary,
    door: anyone,
    pageSize: usualPage,
    async handle({ params, page, view }) {
      const user = await people.get(params.username)
      return pageOf(following.list(which, user, page), presentUser, view)
    },
  })

const ownListOf = ({ following }: Needs, which: 'followers' | 'following', id: string, summary: string): Route =>
  route(`GET /user/${which}`, {
    id,
    summary,
    door: signedIn,
    permission: 'followers=read',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(following.list(which, target.actor.account, page), presentUser, view),
  })

const changing = { door: signedIn, scopes: ['user:follow'], permission: 'followers=write' } as const

export const followingRoutes = ({ following, people }: Needs): readonly Route[] => [
  listOf(
    { following, people },
    'followers',
    'list-followers-of-a-user',
    'Lists the followers of a user, oldest first.',
  ),
  listOf({ following, people }, 'following', 'list-the-people-a-user-follows', 'Lists the people a user follows.'),
  ownListOf({ following, people }, 'followers', 'list-followers-of-the-authenticated-user', 'Lists your followers.'),
  ownListOf(
    { following, people },
    'following',
    'list-the-people-the-authenticated-user-follows',
    'Lists the people you follow.',
  ),
  route('GET /users/:username/following/:target_user', {
    id: 'check-if-a-user-follows-another-user',
    summary: 'Checks whether one user follows another: 204 or 404.',
    door: anyone,
    async handle({ params }) {
      const [user, target] = await Promise.all([people.get(params.username), people.get(params.target_user)])
      return whether(following.follows(user, target))
    },
  }),
  route('GET /user/following/:username', {
    id: 'check-if-a-person-is-followed-by-the-authenticated-user',
    summary: 'Checks whether you follow a user: 204 or 404.',
    door: signedIn,
    permission: 'followers=read',
    async handle({ target, params }) {
      return whether(following.follows(target.actor.account, await people.get(params.username)))
    },
  }),
  route('PUT /user/following/:username', {
    ...changing,
    id: 'follow-a-user',
    summary: 'Follows a user. An account can follow at most 10,000 others.',
    handle: ({ target, params }) => done(following.follow(target, params.username)),
  }),
  route('DELETE /user/following/:username', {
    ...changing,
    id: 'unfollow-a-user',
    summary: 'Unfollows a user.',
    handle: ({ target, params }) => done(following.unfollow(target, params.username)),
  }),
]
