/** What statuses and check runs of a commit come to, and each of them, as nodes. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { CheckRun } from '../../../forge/checks/check.ts'
import { type CommitStatus, placeTarget } from '../../../forge/commits/statuses.ts'
import type { Commit } from '../../../forge/git/read/commit.ts'
import { Failure } from '../../../lib/failure.ts'
import type { PageRequest } from '../../../lib/page.ts'
import { nodeId, parseNodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect } from '../connection.ts'
import { unresolved } from '../context.ts'
import type { Graph, GraphNode } from '../graph.ts'
import { formatTime, formatTimeOrNull } from '../times.ts'

/** Which of the two kinds the token may see; refused where it is neither. */
async function findSeen(graph: Graph, repository: OpenRepository): Promise<{ statuses: boolean; checks: boolean }> {
  const may = (permission: 'statuses' | 'checks') =>
    graph.demand(repository, permission).then(
      () => true,
      (error) => {
        if (error instanceof Failure && error.kind !== 'unavailable') return false
        throw error
      },
    )
  const checks = await may('checks')
  if (checks) return { checks, statuses: await may('statuses') }
  await graph.demand(repository, 'statuses')
  return { checks, statuses: true }
}

/** Null where nothing was said. Check runs come first, as one list with the statuses after them. */
export async function findRollup(graph: Graph, repository: OpenRepository, commit: Commit): Promise<GraphNode | null> {
  const { services, make } = graph
  const { sha } = commit
  const seen = await findSeen(graph, repository)
  const loadRuns = async (page: PageRequest) =>
    seen.checks
      ? services.checkReading.listRuns(repository, { sha, isLatest: true }, page)
      : { total: 0, items: [] as CheckRun[] }
  const loadStatuses = async (page: PageRequest) =>
    seen.statuses
      ? services.statuses.combine(repository, sha, page)
      : { total: 0, items: [] as CommitStatus[], state: 'pending' as const }
  const none = { offset: 0, limit: 0 }
  const statuses = await loadStatuses(none)
  const total = (await loadRuns(none)).total + statuses.total
  if (total === 0) return null
  const state =
    seen.statuses && seen.checks
      ? await services.commitStanding.sumUp(repository, sha)
      : seen.checks
        ? await services.commitStanding.sumUpChecks(repository, sha)
        : statuses.state
  async function load({ offset, limit }: PageRequest) {
    const runs = await loadRuns({ offset, limit })
    const left = limit - runs.items.length
    const found = left > 0 ? await loadStatuses({ offset: Math.max(0, offset - runs.total), limit: left }) : undefined
    return {
      total,
      items: [
        ...runs.items.map((run) => make.checkRun(repository, run)),
        ...(found?.items.map((status) => make.status(repository, status)) ?? []),
      ],
    }
  }
  return {
    __typename: 'StatusCheckRollup',
    id: nodeId('StatusCheckRollup', `${repository.id}:${sha}`),
    state: (state ?? 'pending').toUpperCase(),
    commit: () => make.commit(repository, commit),
    contexts: (args: ConnectionArgs) => connect(args, load, (node) => node),
  }
}

type OfPull = { pullRequestNumber?: number; pullRequestId?: string }

/** By the rules of the base that the pull would go to. */
async function isRequired(graph: Graph, repository: OpenRepository, name: string, of: OfPull): Promise<boolean> {
  const { services, actor } = graph
  await graph.demand(repository, 'pulls')
  const number = of.pullRequestNumber ?? (await findNumber(graph, repository, of.pullRequestId ?? ''))
  const pull = await services.pulls.get(actor, repository, number)
  const rules = await services.protection.find(repository, pull.base.ref)
  return rules?.statusChecks?.checks.some(({ context }) => context === name) ?? false
}

/** A pull of another repository is as unknown here as one that is not there. */
async function findNumber({ services }: Graph, repository: OpenRepository, id: string): Promise<number> {
  const found = parseNodeId(id)
  const place = found?.type === 'PullRequest' && (await services.nodePlaces.find('issue', Number(found.id)))
  if (!place || place.repositoryId !== repository.id)
    throw unresolved('Say of which pull request: pullRequestId or pullRequestNumber.')
  return Number(place.key)
}

export function statusNode(graph: Graph, repository: OpenRepository, status: CommitStatus): GraphNode {
  const { services, make } = graph
  return {
    __typename: 'StatusContext',
    id: nodeId('Status', status.id),
    context: status.context,
    state: status.state.toUpperCase(),
    description: status.description,
    targetUrl: placeTarget(status, graph.origin),
    createdAt: formatTime(status.createdAt),
    creator: () => make.person(status.creator),
    commit: async () => make.commit(repository, await services.reading.commit(repository, status.sha)),
    isRequired: (of: OfPull) => isRequired(graph, repository, status.context, of),
  }
}

export function checkRunNode(graph: Graph, repository: OpenRepository, run: CheckRun): GraphNode {
  return {
    __typename: 'CheckRun',
    id: nodeId('CheckRun', run.id),
    databaseId: run.id,
    name: run.name,
    status: run.status.toUpperCase(),
    conclusion: run.conclusion?.toUpperCase() ?? null,
    detailsUrl: run.detailsUrl ?? run.app?.url ?? null,
    externalId: run.externalId,
    permalink: `${graph.origin}/${repository.owner.login}/${repository.name}/runs/${run.id}`,
    startedAt: formatTimeOrNull(run.startedAt),
    completedAt: formatTimeOrNull(run.completedAt),
    title: run.output?.title ?? null,
    summary: run.output?.summary ?? null,
    text: run.output?.text ?? null,
    // Runs are of apps: no workflow stands behind them.
    checkSuite: { __typename: 'CheckSuite', id: nodeId('CheckSuite', run.suiteId), workflowRun: null },
    isRequired: (of: OfPull) => isRequired(graph, repository, run.name, of),
  }
}
