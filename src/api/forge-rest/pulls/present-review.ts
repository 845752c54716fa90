/** Presents reviews, and comments on lines. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { Review, ReviewComment } from '../../../forge/pulls/reviews/review.ts'
import { presentReactions } from '../issues/present-issue.ts'
import { presentUser } from '../people/present-people.ts'
import { formatTime, nodeId, type View } from '../view.ts'
import { pullPlaces } from './present-pull.ts'

export function presentReview(review: Review, repository: Repository, number: number, view: View) {
  const { url, html } = pullPlaces(repository, number, view)
  const page = `${html}#pullrequestreview-${review.id}`
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: presentUser(review.author, view),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: url,
    author_association: review.association,
    _links: { html: { href: page }, pull_request: { href: url } },
    ...(review.submittedAt && { submitted_at: formatTime(review.submittedAt) }),
    commit_id: review.commitSha,
  }
}

export function presentReviewComment(comment: ReviewComment, repository: Repository, view: View) {
  const { url: pull, html, repository: place } = pullPlaces(repository, comment.number, view)
  const url = `${place}/pulls/comments/${comment.id}`
  const page = `${html}#discussion_r${comment.id}`
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PullRequestReviewComment', comment.id),
    diff_hunk: comment.hunk,
    path: comment.path,
    commit_id: comment.commitSha,
    original_commit_id: comment.originalCommitSha,
    user: presentUser(comment.author, view),
    body: comment.body,
    created_at: formatTime(comment.createdAt),
    updated_at: formatTime(comment.updatedAt),
    html_url: page,
    pull_request_url: pull,
    author_association: comment.association,
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pull } },
    reactions: presentReactions(comment.reactions, `${url}/reactions`),
    start_line: comment.startLine,
    original_start_line: comment.originalStartLine,
    start_side: comment.startSide,
    line: comment.line,
    original_line: comment.originalLine,
    side: comment.side,
    original_position: comment.originalPosition,
    position: comment.position,
    subject_type: comment.subject,
    ...(comment.replyToId !== null && { in_reply_to_id: comment.replyToId }),
  }
}
