/** Nodes of reviews, of comments on lines, and of their threads. */
import type { Pull } from '../../../forge/pulls/pull.ts'
import type { Review, ReviewComment } from '../../../forge/pulls/reviews/review.ts'
import type { ReviewThread } from '../../../forge/pulls/reviews/review-threads.ts'
import { nodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect } from '../connection.ts'
import type { Graph, GraphNode } from '../graph.ts'
import { formatTime, formatTimeOrNull } from '../times.ts'
import { pagePath, reactionGroups } from './issue-nodes.ts'

const inOrder = { sort: 'created', direction: 'asc' } as const

export function reviewNode(graph: Graph, review: Review, pull: Pull): GraphNode {
  const { actor, services, origin, make } = graph
  const { repository } = pull.base
  const resourcePath = `${pagePath(repository)}/pull/${pull.issue.number}#pullrequestreview-${review.id}`
  const ofReview = { issueId: pull.issue.id, reviewId: review.id }
  const time = formatTime(review.submittedAt ?? pull.issue.createdAt)
  return {
    __typename: 'PullRequestReview',
    id: nodeId('PullRequestReview', review.id),
    databaseId: review.id,
    author: () => make.person(review.author),
    authorAssociation: review.association,
    viewerDidAuthor: review.author.id === actor.account.id,
    body: review.body,
    state: review.state,
    submittedAt: formatTimeOrNull(review.submittedAt),
    createdAt: time,
    updatedAt: time,
    comments: (args: ConnectionArgs) =>
      connect(
        args,
        (page) => services.reviewReading.listComments(actor, repository, ofReview, inOrder, page),
        (comment) => make.reviewComment(comment, pull),
      ),
    commit: async () => {
      const [found] = await services.reading.commits(repository, [review.commitSha])
      return found ? make.commit(repository, found) : null
    },
    reactionGroups: () => reactionGroups({}),
    resourcePath,
    url: origin + resourcePath,
    repository: () => make.repository(repository),
    pullRequest: () => make.pull(pull),
  }
}

export function reviewCommentNode(graph: Graph, comment: ReviewComment, pull: Pull): GraphNode {
  const { actor, services, origin, make } = graph
  const { repository } = pull.base
  const resourcePath = `${pagePath(repository)}/pull/${pull.issue.number}#discussion_r${comment.id}`
  const review = () => services.reviewReading.getReview(actor, comment.issueId, comment.reviewId)
  const commitOf = async (sha: string) => {
    const [found] = await services.reading.commits(repository, [sha])
    return found ? make.commit(repository, found) : null
  }
  return {
    __typename: 'PullRequestReviewComment',
    id: nodeId('PullRequestReviewComment', comment.id),
    databaseId: comment.id,
    author: () => make.person(comment.author),
    authorAssociation: comment.association,
    viewerDidAuthor: comment.author.id === actor.account.id,
    body: comment.body,
    createdAt: formatTime(comment.createdAt),
    updatedAt: formatTime(comment.updatedAt),
    includesCreatedEdit: comment.updatedAt > comment.createdAt,
    isMinimized: false,
    minimizedReason: null,
    diffHunk: comment.hunk,
    path: comment.path,
    position: comment.position,
    line: comment.line,
    startLine: comment.startLine,
    originalPosition: comment.originalPosition,
    originalLine: comment.originalLine,
    originalStartLine: comment.originalStartLine,
    outdated: comment.position === null,
    subjectType: comment.subject.toUpperCase(),
    commit: () => commitOf(comment.commitSha),
    originalCommit: () => commitOf(comment.originalCommitSha),
    state: async () => ((await review()).state === 'PENDING' ? 'PENDING' : 'SUBMITTED'),
    pullRequestReview: async () => make.review(await review(), pull),
    async replyTo() {
      if (comment.replyToId === null) return null
      const [found] = await services.reviewReading.readComments(actor, repository, [comment.replyToId])
      return found ? make.reviewComment(found, pull) : null
    },
    reactionGroups: () => reactionGroups(comment.reactions),
    resourcePath,
    url: origin + resourcePath,
    repository: () => make.repository(repository),
    pullRequest: () => make.pull(pull),
  }
}

export function reviewThreadNode(graph: Graph, thread: ReviewThread, pull: Pull): GraphNode {
  const { actor, services, make } = graph
  const { first, resolvedBy } = thread
  const { repository } = pull.base
  return {
    __typename: 'PullRequestReviewThread',
    id: nodeId('PullRequestReviewThread', first.id),
    path: first.path,
    line: first.line,
    startLine: first.startLine,
    originalLine: first.originalLine,
    originalStartLine: first.originalStartLine,
    diffSide: first.side,
    startDiffSide: first.startSide,
    subjectType: first.subject.toUpperCase(),
    isResolved: thread.isResolved,
    isCollapsed: thread.isResolved,
    isOutdated: first.position === null,
    resolvedBy: () => (resolvedBy?.kind === 'user' ? make.person(resolvedBy) : null),
    comments: (args: ConnectionArgs) =>
      connect(
        args,
        (page) => services.reviewThreads.listComments(actor, repository, thread, page),
        (comment) => make.reviewComment(comment, pull),
      ),
    repository: () => make.repository(repository),
    pullRequest: () => make.pull(pull),
  }
}
