/** Commits, branches and statuses as nodes. */
import { reaches } from '../../../forge/access/level.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { CommitStatus } from '../../../forge/commits/statuses.ts'
import type { Commit, Signature } from '../../../forge/git/commit.ts'
import { nodeId, parseNodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect, connectAll } from '../connection.ts'
import { unresolved } from '../context.ts'
import type { Graph, GraphNode } from '../graph.ts'
import { formatTime } from '../times.ts'

export function commitNode(graph: Graph, repository: OpenRepository, commit: Commit): GraphNode {
  const { origin, make } = graph
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
    repository: () => make.repository(repository),
    statusCheckRollup: () => findRollup(graph, repository, commit),
  }
}

const presentSignature = (graph: Graph, { name, email, date }: Signature) => ({
  name,
  email,
  date: formatTime(date),
  async user() {
    const found = await graph.committer(email)
    return found?.kind === 'user' ? graph.make.person(found) : null
  },
})

/** What the statuses come to; null where there are none. */
async function findRollup(graph: Graph, repository: OpenRepository, commit: Commit): Promise<GraphNode | null> {
  const { forge, make } = graph
  await graph.demand(repository, 'statuses')
  const load = (page: { offset: number; limit: number }) => forge.statuses.combine(repository, commit.sha, page)
  const { total, state } = await load({ offset: 0, limit: 0 })
  if (total === 0) return null
  return {
    __typename: 'StatusCheckRollup',
    id: nodeId('StatusCheckRollup', `${repository.id}:${commit.sha}`),
    state: state.toUpperCase(),
    commit: () => make.commit(repository, commit),
    contexts: (args: ConnectionArgs) => connect(args, load, (status) => make.status(repository, status)),
  }
}

export function statusNode(graph: Graph, repository: OpenRepository, status: CommitStatus): GraphNode {
  const { forge, actor, make } = graph
  return {
    __typename: 'StatusContext',
    id: nodeId('Status', status.id),
    context: status.context,
    state: status.state.toUpperCase(),
    description: status.description,
    targetUrl: status.targetUrl,
    createdAt: formatTime(status.createdAt),
    creator: () => make.person(status.creator),
    commit: async () => make.commit(repository, await forge.reading.commit(repository, status.sha)),
    /** By the rules of the base that the pull would go to. */
    async isRequired({ pullRequestNumber, pullRequestId }: { pullRequestNumber?: number; pullRequestId?: string }) {
      await graph.demand(repository, 'pulls')
      const number = pullRequestNumber ?? (await findNumber(graph, repository, pullRequestId ?? ''))
      const pull = await forge.pulls.get(actor, repository, number)
      const rules = await forge.protection.find(repository, pull.base.ref)
      return rules?.statusChecks?.checks.some(({ context }) => context === status.context) ?? false
    },
  }
}

/** A pull of another repository is as unknown here as one that is not there. */
async function findNumber({ forge }: Graph, repository: OpenRepository, id: string): Promise<number> {
  const found = parseNodeId(id)
  const place = found?.type === 'PullRequest' && (await forge.nodePlaces.find('issue', Number(found.id)))
  if (!place || place.repositoryId !== repository.id)
    throw unresolved('Say of which pull request: pullRequestId or pullRequestNumber.')
  return Number(place.key)
}

export function refNode(
  graph: Graph,
  repository: OpenRepository,
  prefix: string,
  name: string,
  sha: string,
): GraphNode {
  const { forge, make } = graph
  return {
    __typename: 'Ref',
    id: nodeId('Ref', `${repository.id}:${prefix}${name}`),
    name,
    prefix,
    repository: () => make.repository(repository),
    target: async () => make.commit(repository, await forge.reading.commit(repository, sha)),
    /** Rules are for those to see who set them. */
    async branchProtectionRule() {
      if (!reaches(repository.level, 'admin')) return null
      await graph.demand(repository, 'administration')
      const rules = prefix === 'refs/heads/' ? await forge.protection.find(repository, name) : undefined
      return (
        rules && {
          id: nodeId('BranchProtectionRule', `${repository.id}:${name}`),
          requiredApprovingReviewCount: rules.reviews?.approvals ?? null,
          requiresStrictStatusChecks: rules.statusChecks?.isStrict ?? false,
        }
      )
    },
  }
}
