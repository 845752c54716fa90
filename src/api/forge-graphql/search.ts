/** Searches: issues and pulls, repositories, people, with the words and qualifiers of REST. */

import { maxResults } from '../../forge/search/search-result.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { type ConnectionArgs, connect } from './connection.ts'
import type { Graph } from './graph.ts'

export type SearchArgs = ConnectionArgs & {
  readonly query: string
  readonly type: 'ISSUE' | 'REPOSITORY' | 'USER'
}

export async function search(graph: Graph, args: SearchArgs) {
  const { total, ...found } = await find(graph, args)
  const counts = { issueCount: 0, repositoryCount: 0, userCount: 0 }
  const name = { ISSUE: 'issueCount', REPOSITORY: 'repositoryCount', USER: 'userCount' }[args.type]
  return { ...found, ...counts, [name]: total }
}

async function find(graph: Graph, args: SearchArgs) {
  const { services, actor, make } = graph
  const { query } = args
  const order = { direction: 'desc' } as const
  switch (args.type) {
    case 'ISSUE':
      return connectShown(
        args,
        (page) => services.issueSearch.search(actor, query, { ...order, sort: 'created' }, page),
        async ({ issue, repository }) =>
          issue.isPull ? make.pull(await graph.pull(repository, issue.id)) : make.issue(issue, repository),
      )
    case 'REPOSITORY':
      return connectShown(
        args,
        (page) => services.search.repositories.search(actor, query, { ...order, sort: 'best' }, page),
        (repository) => make.repository(repository),
      )
    case 'USER':
      return connectShown(
        args,
        (page) => services.search.people.search(query, { ...order, sort: 'best' }, page),
        (person) => make.person(person),
      )
  }
}

/** Only the first results can be shown, but all are counted. */
async function connectShown<T>(
  args: ConnectionArgs,
  load: (page: PageRequest) => Promise<Page<T>>,
  toNode: (item: T) => unknown,
) {
  let total = 0
  const shown = await connect(
    args,
    async (page) => {
      if (page.offset >= maxResults) return { total: Math.min(total, maxResults), items: [] }
      const found = await load({ ...page, limit: Math.min(page.limit, maxResults - page.offset) })
      total = found.total
      return { total: Math.min(total, maxResults), items: found.items }
    },
    toNode,
  )
  return { ...shown, total }
}
