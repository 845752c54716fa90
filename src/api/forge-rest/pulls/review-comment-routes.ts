/** Routes of comments on lines of pulls: list, write, answer, edit. */
import { invalidField } from '../../../forge/failures.ts'
import type { Reactions } from '../../../forge/issues/reactions/reactions.ts'
import type { Pulls } from '../../../forge/pulls/pulls.ts'
import { findReviewCommentSubject } from '../../../forge/pulls/reviews/review-comment-subject.ts'
import type { ReviewComments } from '../../../forge/pulls/reviews/review-comments.ts'
import type { ReviewReading } from '../../../forge/pulls/reviews/review-reading.ts'
import { takenBack } from '../doors.ts'
import { makeReactionRoutes } from '../issues/reaction-routes.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { presentReviewComment } from './present-review.ts'
import { changesPull, findPull, readsPull } from './pull-routes.ts'
import { CommentBody, readCommentOrder, TextBody, toCommentDraft } from './review-body.ts'

const ofPull = '/repos/:owner/:repo/pulls/:pull_number' as const
const ofRepository = '/repos/:owner/:repo/pulls/comments' as const

type Needs = {
  pulls: Pulls
  reviewComments: ReviewComments
  reviewReading: ReviewReading
}

export const reviewCommentRoutes = ({ pulls, reviewComments, reviewReading }: Needs): readonly Route[] => [
  route(`GET ${ofRepository}`, {
    ...readsPull,
    id: 'list-review-comments-in-a-repository',
    summary: 'Comments on lines of all pulls, by `sort`, `direction` and `since`.',
    pageSize: usualPage,
    async handle({ actor, target, query, page, view }) {
      const found = await reviewReading.listComments(actor, target, {}, readCommentOrder(query), page)
      return list(found, (comment) => presentReviewComment(comment, target, view))
    },
  }),
  route(`GET ${ofRepository}/:comment_id`, {
    ...readsPull,
    id: 'get-a-review-comment-for-a-pull-request',
    summary: 'A comment on a line.',
    async handle({ actor, target, params, view }) {
      const comment = await reviewReading.getComment(actor, target, readId(params.comment_id))
      return ok(presentReviewComment(comment, target, view))
    },
  }),
  route(`PATCH ${ofRepository}/:comment_id`, {
    ...changesPull,
    id: 'update-a-review-comment-for-a-pull-request',
    summary: 'Changes the text of a comment on a line, for its author and people with write access.',
    body: TextBody,
    async handle({ target, params, body, view }) {
      const comment = await reviewComments.edit(target, readId(params.comment_id), body.body)
      return ok(presentReviewComment(comment, target.repository, view))
    },
  }),
  route(`DELETE ${ofRepository}/:comment_id`, {
    ...changesPull,
    door: takenBack,
    id: 'delete-a-review-comment-for-a-pull-request',
    summary: 'Deletes a comment on a line, for its author and people with write access.',
    handle: ({ target, params }) => done(reviewComments.remove(target, readId(params.comment_id))),
  }),
  route(`GET ${ofPull}/comments`, {
    ...readsPull,
    id: 'list-review-comments-on-a-pull-request',
    summary: 'Comments on lines of a pull; `position` is null where the line is gone.',
    pageSize: usualPage,
    async handle({ actor, target, params, query, page, view }) {
      const { issue } = await findPull(pulls, actor, target, params.pull_number)
      const of = { issueId: issue.id }
      const found = await reviewReading.listComments(actor, target, of, readCommentOrder(query), page)
      return list(found, (comment) => presentReviewComment(comment, target, view))
    },
  }),
  route(`POST ${ofPull}/comments`, {
    ...changesPull,
    id: 'create-a-review-comment-for-a-pull-request',
    summary: 'Comments on a line by `line` and `side`, or by `position`; on several by `start_line`; on a whole file.',
    createsContent: true,
    body: CommentBody,
    async handle({ target, params, body, view }) {
      const pull = await findPull(pulls, target.actor, target.repository, params.pull_number)
      const { in_reply_to: repliedTo, path, ...rest } = body
      if (repliedTo === undefined && path === undefined) throw invalidField('path', 'missing_field', 'path is missing')
      const comment =
        repliedTo === undefined
          ? await reviewComments.create(target, pull, toCommentDraft({ ...rest, path: path! }))
          : await reviewComments.reply(target, pull, repliedTo, body.body)
      const shown = presentReviewComment(comment, target.repository, view)
      return created(shown, shown.url)
    },
  }),
  route(`POST ${ofPull}/comments/:comment_id/replies`, {
    ...changesPull,
    id: 'create-a-reply-for-a-review-comment',
    summary: 'Answers a comment on a line.',
    createsContent: true,
    body: TextBody,
    async handle({ target, params, body, view }) {
      const pull = await findPull(pulls, target.actor, target.repository, params.pull_number)
      const comment = await reviewComments.reply(target, pull, readId(params.comment_id), body.body)
      const shown = presentReviewComment(comment, target.repository, view)
      return created(shown, shown.url)
    },
  }),
]

export const reviewCommentReactionRoutes = ({ reactions }: { reactions: Reactions }): readonly Route[] =>
  makeReactionRoutes(reactions, {
    path: 'pulls/comments/:comment_id',
    word: 'a-pull-request-review-comment',
    what: 'a comment on a line',
    permission: { read: 'pull_requests=read', write: 'pull_requests=write' },
    find: (_actor, repository, { comment_id }) => findReviewCommentSubject(repository, readId(comment_id)),
  })
