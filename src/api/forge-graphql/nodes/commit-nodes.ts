/** Commits, branches and statuses as nodes. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { Commit } from '../../../forge/git/read/commit.ts'
import type { LogFilter } from '../../../forge/git/read/git-reading.ts'
import { nodeId, parseNodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect, connectAll } from '../connection.ts'
import { orUnresolved, unresolved } from '../context.ts'
import type { Graph, GraphNode } from '../graph.ts'
import { type CommitPullArgs, type PullArgs, readCommitPullOrder, readPullFilter, readTime } from '../orders.ts'
import { formatTime } from '../times.ts'
import { branchRuleFields } from './branch-rule-fields.ts'
import { presentGitSignature } from './git-signature.ts'
import { findObject, treeNode } from './object-nodes.ts'
import { findRollup } from './rollup-nodes.ts'
import { presentSignature } from './signature.ts'

export function commitNode(graph: Graph, repository: OpenRepository, commit: Commit): GraphNode {
  const { services, actor, origin, make } = graph
  const { sha, message, author, committer } = commit
  const resourcePath = `/${repository.owner.login}/${repository.name}/commit/${sha}`
  const [messageHeadline = '', ...rest] = message.trimEnd().split('\n')
  return {
    __typename: 'Commit',
    id: nodeId('Commit', `${repository.id}:${sha}`),
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    message: message.trimEnd(),
    messageHeadline,
    messageBody: rest.join('\n').trim(),
    author: presentSignature(graph, author),
    committer: presentSignature(graph, committer),
    authoredDate: formatTime(author.date),
    committedDate: formatTime(committer.date),
    authors: (args: ConnectionArgs) => connectAll(args, [author], (one) => presentSignature(graph, one)),
    resourcePath,
    url: origin + resourcePath,
    commitResourcePath: resourcePath,
    commitUrl: origin + resourcePath,
    repository: () => make.repository(repository),
    tree: () => treeNode(graph, repository, commit.tree),
    parents: (args: ConnectionArgs) =>
      connect(
        args,
        async ({ offset, limit }) => ({
          total: commit.parents.length,
          items: await services.reading.commits(repository, commit.parents.slice(offset, offset + limit)),
        }),
        (one) => make.commit(repository, one),
      ),
    async history(args: ConnectionArgs & HistoryArgs) {
      const opened = await graph.demand(repository, 'contents')
      const filter = await readHistoryFilter(graph, args)
      return connect(
        args,
        (page) => services.reading.log(opened, sha, filter, page),
        (one) => make.commit(repository, one),
      )
    },
    async associatedPullRequests(args: ConnectionArgs & CommitPullArgs) {
      const opened = await graph.demand(repository, 'pulls')
      return connect(
        args,
        (page) => services.pulls.listOfCommit(actor, opened, sha, page, readCommitPullOrder(args)),
        (pull) => make.pull(pull),
      )
    },
    signature: () => presentGitSignature(graph, { ...commit, by: committer }),
    statusCheckRollup: () => findRollup(graph, repository, commit),
    blame: ({ path }: { path: string }) => presentBlame(graph, repository, sha, path),
  }
}

export type HistoryArgs = {
  readonly path?: string | null
  readonly since?: unknown
  readonly until?: unknown
  readonly author?: { readonly emails?: readonly string[] | null; readonly id?: string | null } | null
}

async function readHistoryFilter({ services }: Graph, { path, since, until, author }: HistoryArgs): Promise<LogFilter> {
  const person = author?.id ? parseNodeId(author.id) : undefined
  const id = person?.type === 'User' ? Number(person.id) : 0
  if (author?.id && !Number.isSafeInteger(id)) throw unresolved('author.id must be the global id of a user.')
  const own = id ? await services.people.addressesOf((await services.people.getById(id)).login) : []
  return {
    path: path || undefined,
    since: readTime('since', since),
    until: readTime('until', until),
    author: author ? [...(author.emails ?? []), ...own] : undefined,
  }
}

/** Ages range from 1, as new as the newest line, to 10. */
async function presentBlame(graph: Graph, repository: OpenRepository, sha: string, path: string) {
  const { services, make } = graph
  await graph.demand(repository, 'contents')
  const ranges = await orUnresolved(
    services.blame.ranges(repository, sha, path),
    'Could not resolve the path to a file.',
  )
  const times = ranges.map(({ commit }) => commit.committer.date.getTime())
  const [oldest, newest] = [Math.min(...times), Math.max(...times)]
  const span = Math.max(1, newest - oldest)
  return {
    ranges: ranges.map(({ startingLine, endingLine, commit }) => ({
      startingLine,
      endingLine,
      age: 1 + Math.round((9 * (newest - commit.committer.date.getTime())) / span),
      commit: () => make.commit(repository, commit),
    })),
  }
}

export function refNode(
  graph: Graph,
  repository: OpenRepository,
  prefix: string,
  name: string,
  sha: string,
): GraphNode {
  const { services, actor, make } = graph
  return {
    __typename: 'Ref',
    id: nodeId('Ref', `${repository.id}:${prefix}${name}`),
    name,
    prefix,
    repository: () => make.repository(repository),
    target: () =>
      prefix === 'refs/tags/'
        ? findObject(graph, repository, { oid: sha })
        : services.reading.commit(repository, sha).then((commit) => make.commit(repository, commit)),
    /** Pulls whose head is this branch. */
    async associatedPullRequests(args: ConnectionArgs & PullArgs) {
      const opened = await graph.demand(repository, 'pulls')
      if (prefix !== 'refs/heads/') return connectAll(args, [], () => null)
      const filter = { ...readPullFilter(args), head: `${repository.owner.login}:${name}` }
      return connect(
        args,
        (page) => services.pulls.list(actor, opened, filter, page),
        (pull) => make.pull(pull),
      )
    },
    ...branchRuleFields(graph, repository, prefix, name),
  }
}
