/** Routes of repositories: list, create, read, change, rename, archive, delete, topics. */
import { invalidField } from '../../../forge/failures.ts'
import type { Forks } from '../../../forge/repositories/forks.ts'
import type { Repositories } from '../../../forge/repositories/repositories.ts'
import type { RepositoryLists } from '../../../forge/repositories/repository-lists.ts'
import { anyone, changed, readable, signedIn } from '../doors.ts'
import { allSince, done, pageOf } from '../outcomes.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { List, Shape, Text } from '../schemas.ts'
import { presentListedRepository, presentRepository, presentWholeRepository } from './present-repository.ts'
import {
  RepositoryBody,
  RepositoryChangeBody,
  readOrder,
  toRepositoryChange,
  toRepositoryDraft,
} from './repository-body.ts'

const affiliations = ['owner', 'collaborator', 'organization_member'] as const

type Needs = {
  forks: Forks
  repositories: Repositories
  repositoryLists: RepositoryLists
}

export const repositoryRoutes = ({ forks, repositories, repositoryLists }: Needs): readonly Route[] => [
  route('GET /repositories', {
    id: 'list-public-repositories',
    summary: 'Every public repository, by id, after `since`.',
    door: anyone,
    permission: 'metadata=read',
    pageSize: { usual: 100, most: 100 },
    handle: (call) => allSince(call, repositoryLists.listPublic, presentRepository),
  }),
  route('GET /user/repos', {
    id: 'list-repositories-for-the-authenticated-user',
    summary: 'Lists the repositories that you own, were added to, or have access to through an organisation.',
    spansOrganisations: true,
    door: signedIn,
    permission: 'metadata=read',
    pageSize: usualPage,
    handle({ actor, query, page, view }) {
      const type = query.oneOf('type', ['all', 'owner', 'public', 'private', 'member'], 'all')
      if (query.text('type') && (query.text('visibility') || query.text('affiliation')))
        throw invalidField('type', 'invalid', 'Give type, or visibility and affiliation, not both.')
      const asked = query
        .text('affiliation')
        ?.split(',')
        .map((word) => word.trim())
      const chosen = affiliations.filter((name) => asked?.includes(name) ?? true)
      const filter = {
        affiliations: type === 'owner' ? (['owner'] as const) : type === 'member' ? affiliations.slice(1) : chosen,
        visibility:
          type === 'public' || type === 'private'
            ? type
            : query.oneOf('visibility', ['all', 'public', 'private'], 'all'),
        since: query.time('since'),
        before: query.time('before'),
      }
      const order = readOrder(query, 'full_name')
      return pageOf(repositoryLists.listOwn(actor, filter, order, page), presentListedRepository, view)
    },
  }),
  route('POST /user/repos', {
    id: 'create-a-repository-for-the-authenticated-user',
    summary: 'Creates a repository of your own, and watches it.',
    door: signedIn,
    scopes: ['public_repo', 'repo'],
    permission: 'administration=write',
    createsContent: true,
    body: RepositoryBody,
    async handle({ target, body, view }) {
      const made = await repositories.createOwn(target, toRepositoryDraft(body))
      return created(presentWholeRepository(made, view), `${view.base}/repos/${made.owner.login}/${made.name}`)
    },
  }),
  route('GET /repos/:owner/:repo', {
    id: 'get-a-repository',
    summary: 'A repository.',
    door: readable,
    permission: 'metadata=read',
    handle({ actor, target, view }) {
      if (target.parentId === null && target.templateId === null) return ok(presentWholeRepository(target, view))
      return forks.ancestors(actor, target).then((found) => ok(presentWholeRepository(target, view, found)))
    },
  }),
  route('PATCH /repos/:owner/:repo', {
    id: 'update-a-repository',
    summary: 'Changes, renames, archives a repository.',
    door: changed('admin', { evenArchived: true }),
    permission: 'administration=write',
    body: RepositoryChangeBody,
    async handle({ target, body, view }) {
      const repository = await repositories.update(target, toRepositoryChange(body))
      return ok(presentWholeRepository(repository, view, await forks.ancestors(target.actor, repository)))
    },
  }),
  route('DELETE /repos/:owner/:repo', {
    id: 'delete-a-repository',
    summary: 'Deletes a repository and everything in it.',
    door: changed('admin', { evenArchived: true }),
    scopes: ['delete_repo'],
    permission: 'administration=write',
    handle: ({ target }) => done(repositories.remove(target)),
  }),
  route('GET /repos/:owner/:repo/topics', {
    id: 'get-all-repository-topics',
    summary: 'Topics.',
    door: readable,
    permission: 'metadata=read',
    pageSize: usualPage,
    handle: ({ target, page }) => ok({ names: target.topics.slice(page.offset, page.offset + page.limit) }),
  }),
  route('PUT /repos/:owner/:repo/topics', {
    id: 'replace-all-repository-topics',
    summary: 'Sets the topics.',
    door: changed('admin'),
    permission: 'administration=write',
    body: Shape({ names: List(Text(50)) }),
    async handle({ target, body }) {
      return ok({ names: await repositories.replaceTopics(target, body.names) })
    },
  }),
]
