/** Parts of payloads for pulls, reviews and comments on lines. */
import { notFound } from '../../../forge/failures.ts'
import type { Pull } from '../../../forge/pulls/pull.ts'
import type { ReviewComment } from '../../../forge/pulls/reviews/review.ts'
import { presentTeam } from '../people/present-teams.ts'
import { presentPull } from '../pulls/present-pull.ts'
import { presentReview, presentReviewComment } from '../pulls/present-review.ts'
import { presentWhole } from '../pulls/pull-routes.ts'
import { personOf, presentGiven } from './issue-parts.ts'
import { type PartContext, type PayloadPart, revive } from './part.ts'

async function findPull({ services, viewer, source, repository }: PartContext): Promise<Pull> {
  const issue = await services.issueReading.readById(source.subjectId ?? 0)
  if (!issue?.isPull || issue.repositoryId !== repository.id) throw notFound()
  return services.pulls.get(viewer, repository, issue.number)
}

const pullRequest: PayloadPart = async (context) => {
  const { services, source, action, view } = context
  const pull = await findPull(context)
  const { assigneeId, reviewerId, teamId, changes, before } = source.data
  const team = teamId === undefined ? undefined : await teamOf(context, teamId)
  // A secret team is hidden from receivers.
  if (teamId !== undefined && (!team || team.privacy === 'secret')) return undefined
  return {
    number: pull.issue.number,
    pull_request: await presentWhole(services, pull, view),
    ...(assigneeId !== undefined && { assignee: await personOf(context, assigneeId) }),
    ...presentGiven(context),
    ...(team && { requested_team: presentTeam(team, view) }),
    ...(reviewerId !== undefined && { requested_reviewer: await personOf(context, reviewerId) }),
    ...(action === 'edited' && { changes: changes ?? {} }),
    ...(action === 'synchronize' && { before: before ?? '', after: pull.head.sha }),
  }
}

async function teamOf({ services, repository }: PartContext, id: number) {
  const [team] = await services.teams.listByIds(repository.owner, [id])
  return team
}

const review: PayloadPart = async (context) => {
  const { services, viewer, repository, source, action, view } = context
  const pull = await findPull(context)
  const found = await services.reviewReading.getReview(viewer, pull.issue.id, source.data.reviewId)
  const shown = presentReview(found, repository, pull.issue.number, view)
  return {
    review: { ...shown, state: shown.state.toLowerCase() },
    pull_request: presentPull(pull, view),
    ...(action === 'edited' && { changes: source.data.changes ?? {} }),
  }
}

const reviewComment: PayloadPart = async (context) => {
  const { services, viewer, repository, source, action, view } = context
  const pull = await findPull(context)
  const { commentId, changes, gone } = source.data
  const comment = gone
    ? revive<ReviewComment>(gone.comment)
    : await services.reviewReading.getComment(viewer, repository, commentId)
  return {
    comment: presentReviewComment(comment, repository, view),
    pull_request: presentPull(pull, view),
    ...(action === 'edited' && { changes: changes ?? {} }),
  }
}

export const pullParts = {
  pull_request: pullRequest,
  pull_request_review: review,
  pull_request_review_comment: reviewComment,
} as const satisfies Record<string, PayloadPart>
