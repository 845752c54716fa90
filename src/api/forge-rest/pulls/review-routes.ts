/** Routes of reviews and of requests for reviews. */
import { invalidField } from '../../../forge/failures.ts'
import type { Pulls } from '../../../forge/pulls/pulls.ts'
import type { Review } from '../../../forge/pulls/reviews/review.ts'
import type { ReviewReading } from '../../../forge/pulls/reviews/review-reading.ts'
import type { ReviewRequests } from '../../../forge/pulls/reviews/review-requests.ts'
import type { Reviews } from '../../../forge/pulls/reviews/reviews.ts'
import { changed, takenBack } from '../doors.ts'
import { presentUser } from '../people/present-people.ts'
import { presentTeam } from '../people/present-teams.ts'
import { readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { presentPull } from './present-pull.ts'
import { presentReview, presentReviewComment } from './present-review.ts'
import { changesPull, findPull, readsPull } from './pull-routes.ts'
import {
  DismissBody,
  ReviewBody,
  ReviewersBody,
  readCommentOrder,
  SubmitBody,
  TextBody,
  toReviewDraft,
} from './review-body.ts'

const ofPull = '/repos/:owner/:repo/pulls/:pull_number' as const

type Needs = {
  pulls: Pulls
  reviewReading: ReviewReading
  reviewRequests: ReviewRequests
  reviews: Reviews
}

export const reviewRoutes = ({ pulls, reviewReading, reviewRequests, reviews }: Needs): readonly Route[] => [
  route(`GET ${ofPull}/reviews`, {
    ...readsPull,
    id: 'list-reviews-for-a-pull-request',
    summary: 'Lists the reviews of a pull, oldest first; only its author sees a pending one.',
    pageSize: usualPage,
    async handle({ actor, target, params, page, view }) {
      const { issue } = await findPull(pulls, actor, target, params.pull_number)
      const found = await reviewReading.listReviews(actor, issue.id, page)
      return list(found, (review) => presentReview(review, target, issue.number, view))
    },
  }),
  route(`POST ${ofPull}/reviews`, {
    ...changesPull,
    id: 'create-a-review-for-a-pull-request',
    summary: 'Reviews a pull, with comments on its lines; without an `event` the review is pending.',
    createsContent: true,
    body: ReviewBody,
    async handle({ target, params, body, view }) {
      const pull = await findPull(pulls, target.actor, target.repository, params.pull_number)
      const review = await reviews.create(target, pull, toReviewDraft(body))
      return ok(presentReview(review, target.repository, pull.issue.number, view))
    },
  }),
  route(`GET ${ofPull}/reviews/:review_id`, {
    ...readsPull,
    id: 'get-a-review-for-a-pull-request',
    summary: 'A review.',
    async handle({ actor, target, params, view }) {
      const { issue } = await findPull(pulls, actor, target, params.pull_number)
      const review = await reviewReading.getReview(actor, issue.id, readId(params.review_id))
      return ok(presentReview(review, target, issue.number, view))
    },
  }),
  route(`PUT ${ofPull}/reviews/:review_id`, {
    ...changesPull,
    id: 'update-a-review-for-a-pull-request',
    summary: 'Changes the text of your own review.',
    body: TextBody,
    async handle({ target, params, body, view }) {
      const pull = await findPull(pulls, target.actor, target.repository, params.pull_number)
      const review = await reviews.edit(target, pull, readId(params.review_id), body.body)
      return ok(presentReview(review, target.repository, pull.issue.number, view))
    },
  }),
  route(`DELETE ${ofPull}/reviews/:review_id`, {
    ...changesPull,
    door: takenBack,
    id: 'delete-a-pending-review-for-a-pull-request',
    summary: 'Deletes your own pending review.',
    async handle({ target, params, view }) {
      const pull = await findPull(pulls, target.actor, target.repository, params.pull_number)
      const review = await reviews.deletePending(target, pull, readId(params.review_id))
      return ok(presentReview(review, target.repository, pull.issue.number, view))
    },
  }),
  route(`POST ${ofPull}/reviews/:review_id/events`, {
    ...changesPull,
    id: 'submit-a-review-for-a-pull-request',
    summary: 'Submits your own pending review.',
    createsContent: true,
    body: SubmitBody,
    async handle({ target, params, body, view }) {
      const pull = await findPull(pulls, target.actor, target.repository, params.pull_number)
      const id = readId(params.review_id)
      const review: Review = await reviews.submit(target, pull, id, body.event, body.body ?? undefined)
      return ok(presentReview(review, target.repository, pull.issue.number, view))
    },
  }),
  route(`PUT ${ofPull}/reviews/:review_id/dismissals`, {
    ...changesPull,
    door: changed('write'),
    id: 'dismiss-a-review-for-a-pull-request',
    summary: 'Dismisses a review that approves or requests changes.',
    body: DismissBody,
    async handle({ target, params, body, view }) {
      const pull = await findPull(pulls, target.actor, target.repository, params.pull_number)
      const review = await reviews.dismiss(target, pull, readId(params.review_id), body.message)
      return ok(presentReview(review, target.repository, pull.issue.number, view))
    },
  }),
  route(`GET ${ofPull}/reviews/:review_id/comments`, {
    ...readsPull,
    id: 'list-comments-for-a-pull-request-review',
    summary: 'Comments on lines that are part of a review.',
    pageSize: usualPage,
    async handle({ actor, target, params, query, page, view }) {
      const { issue } = await findPull(pulls, actor, target, params.pull_number)
      const { id } = await reviewReading.getReview(actor, issue.id, readId(params.review_id))
      const of = { issueId: issue.id, reviewId: id }
      const found = await reviewReading.listComments(actor, target, of, readCommentOrder(query), page)
      return list(found, (comment) => presentReviewComment(comment, target, view))
    },
  }),
  route(`GET ${ofPull}/requested_reviewers`, {
    ...readsPull,
    id: 'get-all-requested-reviewers-for-a-pull-request',
    summary: 'Lists the users and teams whose review is requested.',
    async handle({ actor, target, params, view }) {
      const pull = await findPull(pulls, actor, target, params.pull_number)
      return ok({
        users: pull.requestedUsers.map((person) => presentUser(person, view)),
        teams: pull.requestedTeams.map((team) => presentTeam(team, view)),
      })
    },
  }),
  route(`POST ${ofPull}/requested_reviewers`, {
    ...changesPull,
    id: 'request-reviewers-for-a-pull-request',
    summary: 'Requests reviews from collaborators and teams, for the pull’s author and people with triage access.',
    createsContent: true,
    body: ReviewersBody,
    async handle({ target, params, body, view }) {
      if (!body.reviewers && !body.team_reviewers)
        throw invalidField('reviewers', 'missing_field', 'reviewers or team_reviewers must be given')
      const reviewers = { users: body.reviewers ?? [], teams: body.team_reviewers ?? [] }
      await reviewRequests.request(target, readId(params.pull_number), reviewers)
      return created(presentPull(await findPull(pulls, target.actor, target.repository, params.pull_number), view))
    },
  }),
  route(`DELETE ${ofPull}/requested_reviewers`, {
    ...changesPull,
    id: 'remove-requested-reviewers-from-a-pull-request',
    summary: 'Removes review requests.',
    body: ReviewersBody,
    async handle({ target, params, body, view }) {
      const reviewers = { users: body.reviewers ?? [], teams: body.team_reviewers ?? [] }
      await reviewRequests.withdraw(target, readId(params.pull_number), reviewers)
      return ok(presentPull(await findPull(pulls, target.actor, target.repository, params.pull_number), view))
    },
  }),
]
