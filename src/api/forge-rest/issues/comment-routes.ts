/** Routes of comments on issues and pulls. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { Comment } from '../../../forge/issues/comments/comment.ts'
import type { Comments } from '../../../forge/issues/comments/comments.ts'
import { takenBack } from '../doors.ts'
import { done } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import { readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Shape, Text } from '../schemas.ts'
import { formatTime, nodeId, type View } from '../view.ts'
import { maxTextLength, readChoice } from './issue-body.ts'
import { changesIssue, readsIssue } from './issue-routes.ts'
import { presentPerformer, presentReactions } from './present-issue.ts'

const CommentBody = Shape({ body: Text(maxTextLength) })
const resource = 'IssueComment'

export function presentComment(comment: Comment, { owner, name }: OpenRepository, view: View) {
  const { id, issueNumber, isOnPull } = comment
  const base = `${view.base}/repos/${owner.login}/${name}/issues`
  const page = `${view.origin}/${owner.login}/${name}/${isOnPull ? 'pull' : 'issues'}/${issueNumber}`
  const url = `${base}/comments/${id}`
  return {
    url,
    html_url: `${page}#issuecomment-${id}`,
    issue_url: `${base}/${issueNumber}`,
    id,
    node_id: nodeId('IssueComment', id),
    user: presentUser(comment.author, view),
    created_at: formatTime(comment.createdAt),
    updated_at: formatTime(comment.updatedAt),
    author_association: comment.association,
    body: comment.body,
    reactions: presentReactions(comment.reactions, `${url}/reactions`),
    ...presentPerformer(comment.app, view),
  }
}

export const commentRoutes = ({ comments }: { comments: Comments }): readonly Route[] => [
  route('GET /repos/:owner/:repo/issues/:issue_number/comments', {
    ...readsIssue,
    id: 'list-issue-comments',
    summary: 'Comments on an issue or a pull, oldest first; `since`: changed from then on.',
    resource,
    pageSize: usualPage,
    async handle({ actor, target, params, query, page, view }) {
      const number = readId(params.issue_number)
      const found = await comments.list(actor, target, number, query.time('since'), page)
      return list(found, (comment) => presentComment(comment, target, view))
    },
  }),
  route('POST /repos/:owner/:repo/issues/:issue_number/comments', {
    ...changesIssue,
    id: 'create-an-issue-comment',
    summary: 'Comments on an issue or a pull. On a locked one only people with write access can comment.',
    resource,
    createsContent: true,
    body: CommentBody,
    async handle({ target, params, body, view }) {
      const comment = await comments.write(target, readId(params.issue_number), body.body)
      const shown = presentComment(comment, target.repository, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/issues/comments', {
    ...readsIssue,
    id: 'list-issue-comments-for-a-repository',
    summary:
      'Comments on all issues and pulls of a repository, by `sort` and `direction`; `since`: changed from then on.',
    resource,
    pageSize: usualPage,
    async handle({ actor, target, query, page, view }) {
      const sort = readChoice(query, 'sort', ['created', 'updated'], 'created')
      // As on the public platform, `direction` is ignored without `sort`.
      const isSorted = query.text('sort') !== undefined
      const direction = readChoice(query, 'direction', ['asc', 'desc'], isSorted ? 'desc' : 'asc')
      const order = { sort, direction: isSorted ? direction : 'asc' } as const
      const found = await comments.listAll(actor, target, query.time('since'), order, page)
      return list(found, (comment) => presentComment(comment, target, view))
    },
  }),
  route('GET /repos/:owner/:repo/issues/comments/:comment_id', {
    ...readsIssue,
    id: 'get-an-issue-comment',
    summary: 'A comment.',
    resource,
    async handle({ actor, target, params, view }) {
      return ok(presentComment(await comments.get(actor, target, readId(params.comment_id)), target, view))
    },
  }),
  route('PATCH /repos/:owner/:repo/issues/comments/:comment_id', {
    ...changesIssue,
    id: 'update-an-issue-comment',
    summary: 'Edits a comment, for its author and people with write access.',
    resource,
    body: CommentBody,
    async handle({ target, params, body, view }) {
      const comment = await comments.edit(target, readId(params.comment_id), body.body)
      return ok(presentComment(comment, target.repository, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/issues/comments/:comment_id', {
    ...changesIssue,
    door: takenBack,
    id: 'delete-an-issue-comment',
    summary: 'Deletes a comment and its reactions, for its author and people with write access.',
    resource,
    handle: ({ target, params }) => done(comments.remove(target, readId(params.comment_id))),
  }),
]
