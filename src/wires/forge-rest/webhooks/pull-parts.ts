/** Payloads about pulls, reviews and comments on lines. */
import { notFound } from '../../../forge/failures.ts'
import type { Pull } from '../../../forge/pulls/pull.ts'
import { presentPull } from '../pulls/present-pull.ts'
import { presentReview, presentReviewComment } from '../pulls/present-review.ts'
import { presentWhole } from '../pulls/pulls.ts'
import { personOf } from './issue-parts.ts'
import type { Part, PartContext } from './part.ts'

async function findPull({ forge, viewer, source, repository }: PartContext): Promise<Pull> {
  const issue = await forge.issueReading.readById(source.subjectId ?? 0)
  if (!issue?.isPull || issue.repositoryId !== repository.id) throw notFound()
  return forge.pulls.get(viewer, repository, issue.number)
}

const pullRequest: Part = async (context) => {
  const { forge, source, action, view } = context
  const pull = await findPull(context)
  const { assigneeId, reviewerId, changes, before } = source.data
  return {
    number: pull.issue.number,
    pull_request: await presentWhole(forge, pull, view),
    ...(assigneeId !== undefined && { assignee: await personOf(context, assigneeId) }),
    ...(reviewerId !== undefined && { requested_reviewer: await personOf(context, reviewerId) }),
    ...(action === 'edited' && { changes: changes ?? {} }),
    ...(action === 'synchronize' && { before: before ?? '', after: pull.head.sha }),
  }
}

const review: Part = async (context) => {
  const { forge, viewer, repository, source, view } = context
  const pull = await findPull(context)
  const found = await forge.reviewReading.getReview(viewer, pull.issue.id, source.data.reviewId)
  const shown = presentReview(found, repository, pull.issue.number, view)
  return {
    review: { ...shown, state: shown.state.toLowerCase() },
    pull_request: presentPull(pull, view),
  }
}

const reviewComment: Part = async (context) => {
  const { forge, viewer, repository, source, view } = context
  const pull = await findPull(context)
  const comment = await forge.reviewReading.getComment(viewer, repository, source.data.commentId)
  return { comment: presentReviewComment(comment, repository, view), pull_request: presentPull(pull, view) }
}

export const pullParts = {
  pull_request: pullRequest,
  pull_request_review: review,
  pull_request_review_comment: reviewComment,
} as const satisfies Record<string, Part>
