/** Routes of watching: the watchers of a repository, and the caller's subscriptions. */
import { personalTokenKinds } from '../../../forge/access/required-grant.ts'
import type { Notifications } from '../../../forge/notifications/notifications.ts'
import type { People } from '../../../forge/people/people.ts'
import type { RepositoryLists } from '../../../forge/repositories/repository-lists.ts'
import type { Watching } from '../../../forge/repositories/watching.ts'
import { anyone, readable, seen, signedIn } from '../doors.ts'
import { done, pageOf, whether } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Flag, Optional, Shape } from '../schemas.ts'
import { presentListedRepository, presentWatch } from './present-repository.ts'

const own = {
  door: seen('read'),
  tokens: personalTokenKinds,
  scopes: ['public_repo', 'notifications'],
  permission: 'watching=write',
} as const

type Needs = {
  notifications: Notifications
  people: People
  repositoryLists: RepositoryLists
  watching: Watching
}

export const watchingRoutes = ({ notifications, people, repositoryLists, watching }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/subscribers', {
    id: 'list-watchers',
    summary: 'Lists the users who watch the repository.',
    door: readable,
    permission: 'metadata=read',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(watching.list(target, page), presentUser, view),
  }),
  route('GET /repos/:owner/:repo/subscription', {
    ...own,
    permission: 'watching=read',
    id: 'get-a-repository-subscription',
    summary: 'Shows whether you watch or ignore the repository; 404 for neither.',
    async handle({ target, view }) {
      return ok(presentWatch(await watching.get(target), target.repository, view))
    },
  }),
  route('PUT /repos/:owner/:repo/subscription', {
    ...own,
    id: 'set-a-repository-subscription',
    summary: 'Watches or ignores the repository, or stops doing so.',
    body: Shape({ subscribed: Optional(Flag), ignored: Optional(Flag) }),
    async handle({ target, body: { subscribed = true, ignored = false }, view }) {
      const { set, remove } = watching
      await notifications.inbox.waitUntilCurrent(target)
      const watch = subscribed || ignored ? await set(target, ignored) : await remove(target)
      return ok(presentWatch(watch, target.repository, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/subscription', {
    ...own,
    id: 'delete-a-repository-subscription',
    summary: 'Stops watching or ignoring the repository.',
    async handle({ target }) {
      await notifications.inbox.waitUntilCurrent(target)
      return done(watching.remove(target))
    },
  }),
  // The older address, without a body: PyGithub uses both.
  route('GET /user/subscriptions/:owner/:repo', {
    ...own,
    permission: 'watching=read',
    id: 'check-if-one-watches-a-repository',
    summary: 'Checks whether you watch the repository: 204 or 404. `GET …/subscription` has the details.',
    async handle({ target }) {
      const { isWatched } = await watching.get(target)
      return whether(Promise.resolve(isWatched))
    },
  }),
  route('PUT /user/subscriptions/:owner/:repo', {
    ...own,
    id: 'watch-a-repository',
    summary: 'Watches it.',
    async handle({ target }) {
      await notifications.inbox.waitUntilCurrent(target)
      return done(watching.set(target, false))
    },
  }),
  route('DELETE /user/subscriptions/:owner/:repo', {
    ...own,
    id: 'stop-watching-a-repository',
    summary: 'Stops watching or ignoring the repository.',
    async handle({ target }) {
      await notifications.inbox.waitUntilCurrent(target)
      return done(watching.remove(target))
    },
  }),
  route('GET /users/:username/subscriptions', {
    id: 'list-repositories-watched-by-a-user',
    summary: 'Repositories that a user watches.',
    spansOrganisations: true,
    door: anyone,
    pageSize: usualPage,
    async handle({ actor, params, page, view }) {
      const user = await people.get(params.username, 'user')
      return pageOf(repositoryLists.listWatched(actor, user, page), presentListedRepository, view)
    },
  }),
  route('GET /user/subscriptions', {
    id: 'list-repositories-watched-by-the-authenticated-user',
    summary: 'Lists the repositories that you watch.',
    spansOrganisations: true,
    door: signedIn,
    permission: 'watching=read',
    pageSize: usualPage,
    handle({ target: { actor }, page, view }) {
      return pageOf(repositoryLists.listWatched(actor, actor.account, page), presentListedRepository, view)
    },
  }),
]
