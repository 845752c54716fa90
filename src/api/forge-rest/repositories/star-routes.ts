/** Routes of stars: the users who starred a repository, and the repositories that a user starred. */
import type { Actor } from '../../../accounts/actor.ts'
import { personalTokenKinds } from '../../../forge/access/required-grant.ts'
import type { People } from '../../../forge/people/people.ts'
import type { RepositoryLists, StarredRepository } from '../../../forge/repositories/repository-lists.ts'
import type { Stargazer, Stars } from '../../../forge/repositories/stars.ts'
import { anyone, readable, seen, signedIn } from '../doors.ts'
import { done, pageOf, whether } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import type { Query } from '../query.ts'
import type { RestAnswer } from '../rest-answer.ts'
import { type ForgeCall, type Route, route, usualPage } from '../route.ts'
import { formatTime, type View } from '../view.ts'
import { presentListedRepository } from './present-repository.ts'

/** `application/vnd.github.star+json`, and the platform's own type: includes the time of each star. */
const wantsTimes = (accept: string): boolean =>
  /\bapplication\/vnd\.(?:platform|github)(?:\.v\d)?\.star\b/i.test(accept)

const presentStargazer = ({ user, starredAt }: Stargazer, view: View) => ({
  starred_at: formatTime(starredAt),
  user: presentUser(user, view),
})

const presentStarred = ({ repository, starredAt }: StarredRepository, view: View) => ({
  starred_at: formatTime(starredAt),
  repo: presentListedRepository(repository, view),
})

const readOrder = (query: Query) => ({
  sort: query.oneOf('sort', ['created', 'updated'], 'created'),
  direction: query.oneOf('direction', ['asc', 'desc'], 'desc'),
})

const sayHow =
  '`sort` is `created` (when it was starred) or `updated`, `direction` is `asc` or `desc`; `…star` tells the times.'

function showStarred(
  repositoryLists: RepositoryLists,
  { query, page, view, accept }: ForgeCall,
  actor: Actor,
  user: { id: number },
): Promise<RestAnswer> {
  const found = repositoryLists.listStarred(actor, user, readOrder(query), page)
  return wantsTimes(accept)
    ? pageOf(found, presentStarred, view)
    : pageOf(found, ({ repository }, seenBy) => presentListedRepository(repository, seenBy), view)
}

const own = {
  door: seen('read'),
  tokens: personalTokenKinds,
  scopes: ['public_repo', 'repo'],
  permission: 'starring=write',
} as const

type Needs = {
  people: People
  repositoryLists: RepositoryLists
  stars: Stars
}

export const starRoutes = ({ people, repositoryLists, stars }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/stargazers', {
    id: 'list-stargazers',
    summary: 'Lists the users who starred the repository, oldest first; `…star` adds the times.',
    door: readable,
    permission: 'metadata=read',
    pageSize: usualPage,
    handle({ target, page, view, accept }) {
      const found = stars.list(target, page)
      return wantsTimes(accept)
        ? pageOf(found, presentStargazer, view)
        : pageOf(found, ({ user }, seenBy) => presentUser(user, seenBy), view)
    },
  }),
  route('GET /users/:username/starred', {
    id: 'list-repositories-starred-by-a-user',
    summary: `Lists the repositories a user has starred that you can see; ${sayHow}`,
    door: anyone,
    permission: 'metadata=read',
    pageSize: usualPage,
    async handle(call) {
      const user = await people.get(call.params.username)
      return showStarred(repositoryLists, call, call.actor, user)
    },
  }),
  route('GET /user/starred', {
    id: 'list-repositories-starred-by-the-authenticated-user',
    summary: `Lists the repositories you have starred; ${sayHow}`,
    spansOrganisations: true,
    door: signedIn,
    permission: 'starring=read',
    pageSize: usualPage,
    handle: (call) => showStarred(repositoryLists, call, call.target.actor, call.target.actor.account),
  }),
  route('GET /user/starred/:owner/:repo', {
    ...own,
    permission: 'starring=read',
    id: 'check-if-a-repository-is-starred-by-the-authenticated-user',
    summary: 'Checks whether you have starred the repository: 204 or 404.',
    handle: ({ target }) => whether(stars.has(target)),
  }),
  route('PUT /user/starred/:owner/:repo', {
    ...own,
    id: 'star-a-repository-for-the-authenticated-user',
    summary: 'Stars it. An account can have at most 10,000 stars.',
    handle: ({ target }) => done(stars.add(target)),
  }),
  route('DELETE /user/starred/:owner/:repo', {
    ...own,
    id: 'unstar-a-repository-for-the-authenticated-user',
    summary: 'Removes your star.',
    handle: ({ target }) => done(stars.remove(target)),
  }),
]
