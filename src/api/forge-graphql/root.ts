/** The root of every query. */

import type { RateStatus } from '../../forge/limits/limits.ts'
import { asPerson } from '../../forge/person.ts'
import type { Cost } from './cost.ts'
import { findRepository, type Graph, type RepositoryName } from './graph.ts'
import { findNode } from './node-lookup.ts'
import { findPerson } from './nodes/people-nodes.ts'
import { type SearchArgs, search } from './search.ts'
import { formatTime } from './times.ts'

export function makeRoot(graph: Graph, cost: Cost, rateStatus: RateStatus) {
  return {
    // An app's bot is shown as a user here, because the public schema has no other type for it.
    viewer: () => ({ ...graph.make.person(asPerson(graph.actor.account)), __typename: 'User' }),
    rateLimit: {
      cost: cost.points,
      nodeCount: cost.nodeCount,
      limit: rateStatus.limit,
      remaining: rateStatus.remaining,
      used: rateStatus.used,
      resetAt: formatTime(new Date(rateStatus.resetAt)),
    },
    repository: (args: RepositoryName) => findRepository(graph, args),
    repositoryOwner: ({ login }: { login: string }) => findPerson(graph, login, undefined),
    user: ({ login }: { login: string }) => findPerson(graph, login, 'user'),
    organization: ({ login }: { login: string }) => findPerson(graph, login, 'organisation'),
    node: ({ id }: { id: string }) => findNode(graph, id),
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => findNode(graph, id)),
    search: (args: SearchArgs) => search(graph, args),
  }
}
