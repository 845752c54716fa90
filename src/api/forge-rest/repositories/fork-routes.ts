/** Routes that list and create forks. */

import type { OrganisationDoor } from '../../../forge/access/organisation-access.ts'
import { parsePermissions, personalTokenKinds } from '../../../forge/access/required-grant.ts'
import type { Forks } from '../../../forge/repositories/forks.ts'
import type { RepositoryLists, RepositoryOrder } from '../../../forge/repositories/repository-lists.ts'
import { readable, seen } from '../doors.ts'
import { pageOf } from '../outcomes.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Flag, Optional, Shape, Text } from '../schemas.ts'
import { presentListedRepository, presentWholeRepository } from './present-repository.ts'

/** The token's needs for creating a repository in any account. */
const creating = { scopes: ['public_repo', 'repo'], permission: 'administration=write' } as const

const orders: Record<string, RepositoryOrder> = {
  newest: { sort: 'created', direction: 'desc' },
  oldest: { sort: 'created', direction: 'asc' },
  stargazers: { sort: 'stars', direction: 'desc' },
  watchers: { sort: 'stars', direction: 'desc' },
}

type Needs = {
  forks: Forks
  organisationDoor: OrganisationDoor
  repositoryLists: RepositoryLists
}

export const forkRoutes = ({ forks, organisationDoor, repositoryLists }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/forks', {
    id: 'list-forks',
    summary: 'Lists the forks that you can see; `sort` is `newest`, `oldest` or `stargazers`.',
    door: readable,
    permission: 'metadata=read',
    pageSize: usualPage,
    handle({ actor, target, query, page, view }) {
      const order = orders[query.text('sort') ?? ''] ?? orders.newest!
      return pageOf(repositoryLists.listForks(actor, target, order, page), presentListedRepository, view)
    },
  }),
  route('POST /repos/:owner/:repo/forks', {
    id: 'create-a-fork',
    summary:
      'Makes a fork, of one’s own or of an `organization`; where there is one already, answers it. A fork of a private repository is private.',
    door: seen('read'),
    tokens: personalTokenKinds,
    ...creating,
    createsContent: true,
    body: Shape({
      organization: Optional(Text(39, 1)),
      name: Optional(Text(100, 1)),
      default_branch_only: Optional(Flag),
    }),
    async handle({ actor, target, body, view }) {
      const need = {
        tokens: personalTokenKinds,
        scopes: creating.scopes,
        permissions: parsePermissions(creating.permission),
      }
      const organisation =
        body.organization === undefined
          ? undefined
          : await organisationDoor.open(actor, body.organization, 'member', need)
      const draft = { name: body.name, defaultBranchOnly: body.default_branch_only }
      const fork = await forks.create(target, organisation, draft)
      return { status: 202, body: presentWholeRepository(fork, view, await forks.ancestors(actor, fork)) }
    },
  }),
]
