/** Nodes of issues, comments, labels, milestones and reactions. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { Comment } from '../../../forge/issues/comments/comment.ts'
import {
  type Issue,
  type Label,
  type Milestone,
  type ReactionContent,
  type ReactionCounts,
  reactionContents,
} from '../../../forge/issues/issue.ts'
import type { LinkedBranch } from '../../../forge/issues/references/linked-branches.ts'
import type { Pull } from '../../../forge/pulls/pull.ts'
import { nodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect, connectAll } from '../connection.ts'
import type { Graph, GraphNode } from '../graph.ts'
import { formatTime, formatTimeOrNull } from '../times.ts'

export const pagePath = ({ owner, name }: OpenRepository) => `/${owner.login}/${name}`

export const reactionNames: Record<ReactionContent, string> = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  hooray: 'HOORAY',
  confused: 'CONFUSED',
  heart: 'HEART',
  rocket: 'ROCKET',
  eyes: 'EYES',
}

export const reactionGroups = (counts: ReactionCounts) =>
  reactionContents.map((content) => ({
    content: reactionNames[content],
    users: { totalCount: counts[content] ?? 0 },
  }))

/** Fields that issues and pulls share. */
export function issueMembers(graph: Graph, issue: Issue, repository: OpenRepository) {
  const { actor, origin, make } = graph
  const type = issue.isPull ? 'PullRequest' : 'Issue'
  const resourcePath = `${pagePath(repository)}/${issue.isPull ? 'pull' : 'issues'}/${issue.number}`
  return {
    __typename: type,
    id: nodeId(type, issue.id),
    databaseId: issue.id,
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    author: () => make.person(issue.author),
    authorAssociation: issue.association,
    viewerDidAuthor: issue.author.id === actor.account.id,
    closed: issue.state === 'closed',
    closedAt: formatTimeOrNull(issue.closedAt),
    createdAt: formatTime(issue.createdAt),
    updatedAt: formatTime(issue.updatedAt),
    locked: issue.isLocked,
    activeLockReason: issue.lockReason?.toUpperCase().replace(/[ -]/g, '_'),
    resourcePath,
    url: origin + resourcePath,
    repository: () => make.repository(repository),
    milestone: () => issue.milestone && make.milestone(issue.milestone, repository),
    assignees: (args: ConnectionArgs) => connectAll(args, issue.assignees, (one) => make.person(one)),
    labels: (args: ConnectionArgs) => connectAll(args, issue.labels, (one) => make.label(one, repository)),
    projectItems: (args: ConnectionArgs) => connectAll(args, [], () => null),
    projectCards: (args: ConnectionArgs) => connectAll(args, [], () => null),
    reactionGroups: () => reactionGroups(issue.reactions),
    comments: (args: ConnectionArgs) => commentsOf(graph, issue, repository, args),
  }
}

export const issueNode = (graph: Graph, issue: Issue, repository: OpenRepository): GraphNode => ({
  ...issueMembers(graph, issue, repository),
  state: issue.state.toUpperCase(),
  stateReason: issue.stateReason?.toUpperCase(),
  isPinned: issue.pinnedAt !== null,
  closedByPullRequestsReferences: (args: ConnectionArgs & ClosingPullArgs) =>
    closingPulls(graph, issue, repository, args),
  linkedBranches: (args: ConnectionArgs) =>
    connect(
      args,
      (page) => graph.services.linkedBranches.list(graph.actor, issue, page),
      (linked) => linkedBranchNode(graph, linked),
    ),
})

type ClosingPullArgs = {
  readonly includeClosedPrs?: boolean | null
  readonly orderByState?: boolean | null
  readonly userLinkedOnly?: boolean | null
}

async function closingPulls(
  graph: Graph,
  issue: Issue,
  repository: OpenRepository,
  args: ConnectionArgs & ClosingPullArgs,
) {
  const { services, actor, make } = graph
  const opened = await graph.demand(repository, 'pulls')
  const found = await services.closingReferences.pullsOf(opened, issue, { isByHand: args.userLinkedOnly === true })
  const pulls = await services.pulls.readByIds(
    actor,
    opened,
    found.map(({ id }) => id),
  )
  const rank = ({ issue: { state }, mergedAt }: Pull) => (state === 'open' ? 0 : mergedAt ? 1 : 2)
  const shown = pulls.filter((pull) => args.includeClosedPrs || rank(pull) < 2)
  const sorted = args.orderByState ? shown.sort((one, other) => rank(one) - rank(other)) : shown
  return connectAll(args, sorted, (pull) => make.pull(pull))
}

export const linkedBranchNode = (graph: Graph, { id, repositoryId, branch }: LinkedBranch): GraphNode => ({
  __typename: 'LinkedBranch',
  id: nodeId('LinkedBranch', id),
  async ref() {
    const repository = await graph.open({ id: repositoryId }, 'contents')
    const found = await graph.services.reading.head(repository, `refs/heads/${branch}^{commit}`)
    return found ? graph.make.ref(repository, 'refs/heads/', branch, found.sha) : null
  },
})

/**
 * Comments of many issues are read together: those with the same offsets from the start, or, for `last` alone, from the
 * end.
 */
function commentsOf(graph: Graph, issue: Issue, repository: OpenRepository, args: ConnectionArgs) {
  const total = issue.commentCount
  const isTail = (args.first ?? undefined) === undefined && !args.after && !args.before
  return connect(
    args,
    async ({ offset, limit }) => {
      if (limit === 0) return { total, items: [] }
      const page = isTail ? { offset: 0, limit } : { offset, limit }
      return { total, items: await graph.comments(issue.id, page, isTail) }
    },
    (comment) => graph.make.comment(comment, issue, repository),
  )
}

export function commentNode(graph: Graph, comment: Comment, issue: Issue, repository: OpenRepository): GraphNode {
  const { actor, origin, make } = graph
  const resourcePath = `${pagePath(repository)}/${issue.isPull ? 'pull' : 'issues'}/${issue.number}#issuecomment-${comment.id}`
  return {
    __typename: 'IssueComment',
    id: nodeId('IssueComment', comment.id),
    databaseId: comment.id,
    body: comment.body,
    author: () => make.person(comment.author),
    authorAssociation: comment.association,
    viewerDidAuthor: comment.author.id === actor.account.id,
    createdAt: formatTime(comment.createdAt),
    updatedAt: formatTime(comment.updatedAt),
    includesCreatedEdit: comment.updatedAt > comment.createdAt,
    isMinimized: false,
    minimizedReason: null,
    reactionGroups: () => reactionGroups(comment.reactions),
    resourcePath,
    url: origin + resourcePath,
    repository: () => make.repository(repository),
    // The public schema has an issue here, even for a pull.
    issue: () => make.issue(issue, repository),
    pullRequest: async () => (issue.isPull ? make.pull(await graph.pull(repository, issue.id)) : null),
  }
}

export function labelNode({ origin, make }: Graph, label: Label, repository: OpenRepository): GraphNode {
  const resourcePath = `${pagePath(repository)}/labels/${encodeURIComponent(label.name)}`
  return {
    __typename: 'Label',
    id: nodeId('Label', label.id),
    name: label.name,
    color: label.color,
    description: label.description,
    isDefault: label.isDefault,
    // The creation time is not stored.
    createdAt: null,
    updatedAt: null,
    resourcePath,
    url: origin + resourcePath,
    repository: () => make.repository(repository),
  }
}

export function milestoneNode({ origin, make }: Graph, milestone: Milestone, repository: OpenRepository): GraphNode {
  const resourcePath = `${pagePath(repository)}/milestone/${milestone.number}`
  const all = milestone.openIssueCount + milestone.closedIssueCount
  return {
    __typename: 'Milestone',
    id: nodeId('Milestone', milestone.id),
    number: milestone.number,
    title: milestone.title,
    description: milestone.description,
    state: milestone.state.toUpperCase(),
    closed: milestone.state === 'closed',
    closedAt: formatTimeOrNull(milestone.closedAt),
    createdAt: formatTime(milestone.createdAt),
    updatedAt: formatTime(milestone.updatedAt),
    dueOn: formatTimeOrNull(milestone.dueOn),
    creator: () => make.person(milestone.creator),
    progressPercentage: all === 0 ? 0 : (100 * milestone.closedIssueCount) / all,
    resourcePath,
    url: origin + resourcePath,
    repository: () => make.repository(repository),
  }
}
