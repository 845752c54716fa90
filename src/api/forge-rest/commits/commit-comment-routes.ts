/** Routes of comments on commits. */

import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { CommitComment, CommitComments } from '../../../forge/commits/comments.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import type { Reactions } from '../../../forge/issues/reactions/reactions.ts'
import type { People } from '../../../forge/people/people.ts'
import { Failure } from '../../../lib/failure.ts'
import { changed, readable, takenBack } from '../doors.ts'
import { placesOf } from '../git/present-git.ts'
import { maxTextLength } from '../issues/issue-body.ts'
import { presentReactions } from '../issues/present-issue.ts'
import { makeReactionRoutes } from '../issues/reaction-routes.ts'
import { done } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import { readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { NullableText, Optional, Shape, Text, Type, Whole } from '../schemas.ts'
import { formatTime, nodeId, type View } from '../view.ts'

const read = { door: readable, permission: 'contents=read', resource: 'CommitComment' } as const
/** All readers may comment, as on the public platform. */
const write = { door: changed('read'), permission: 'contents=read', resource: 'CommitComment' } as const

export function presentCommitComment(repository: OpenRepository, comment: CommitComment, view: View) {
  const { url: base, html } = placesOf(repository, view)
  const url = `${base}/comments/${comment.id}`
  return {
    url,
    html_url: `${html}/commit/${comment.sha}#commitcomment-${comment.id}`,
    id: comment.id,
    node_id: nodeId('CommitComment', comment.id),
    user: presentUser(comment.author, view),
    position: comment.position,
    line: comment.line,
    path: comment.path,
    commit_id: comment.sha,
    created_at: formatTime(comment.createdAt),
    updated_at: formatTime(comment.updatedAt),
    author_association: comment.association,
    body: comment.body,
    reactions: presentReactions(comment.reactions, `${url}/reactions`),
  }
}

async function findCommit(reading: GitReading, repository: OpenRepository, name: string) {
  const sha = await reading.resolve(repository, name)
  if (!sha) throw new Failure('invalid', 'no-commit', `No commit found for SHA: ${name}`)
  return reading.commit(repository, sha)
}

const NullableWhole = Optional(Type.Union([Whole, Type.Null()]))

type Needs = {
  commitComments: CommitComments
  people: People
  reading: GitReading
}

export const commitCommentRoutes = ({ commitComments, people, reading }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/comments', {
    ...read,
    id: 'list-commit-comments-for-a-repository',
    summary: 'Comments on all commits, oldest first.',
    pageSize: usualPage,
    async handle({ target, page, view }) {
      return list(await commitComments.listAll(target, page), (each) => presentCommitComment(target, each, view))
    },
  }),
  route('GET /repos/:owner/:repo/commits/:commit_sha/comments', {
    ...read,
    id: 'list-commit-comments',
    summary: 'Comments on a commit, oldest first.',
    pageSize: usualPage,
    async handle({ target, params, page, view }) {
      const { sha } = await findCommit(reading, target, params.commit_sha)
      return list(await commitComments.list(target, sha, page), (each) => presentCommitComment(target, each, view))
    },
  }),
  route('POST /repos/:owner/:repo/commits/:commit_sha/comments', {
    ...write,
    id: 'create-a-commit-comment',
    summary: 'Comments on a commit, or on a line of what it changed.',
    createsContent: true,
    body: Shape({
      body: Text(maxTextLength, 1),
      path: Optional(NullableText(4096)),
      position: NullableWhole,
      line: NullableWhole,
    }),
    async handle({ target, params, body, view }) {
      const { repository } = target
      const commit = await findCommit(reading, repository, params.commit_sha)
      const known = await people.findByEmails([commit.author.email])
      const authorId = known.get(commit.author.email.toLowerCase())?.id ?? null
      const { path = null, position = null, line = null } = body
      const draft = { body: body.body, path, position, line }
      const comment = await commitComments.write(target, { ...commit, authorId }, draft)
      const shown = presentCommitComment(repository, comment, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/comments/:comment_id', {
    ...read,
    id: 'get-a-commit-comment',
    summary: 'A comment on a commit.',
    async handle({ target, params, view }) {
      return ok(presentCommitComment(target, await commitComments.get(target, readId(params.comment_id)), view))
    },
  }),
  route('PATCH /repos/:owner/:repo/comments/:comment_id', {
    ...write,
    id: 'update-a-commit-comment',
    summary: 'Edits a comment on a commit, for its author and people with write access.',
    body: Shape({ body: Text(maxTextLength, 1) }),
    async handle({ target, params, body, view }) {
      const comment = await commitComments.edit(target, readId(params.comment_id), body.body)
      return ok(presentCommitComment(target.repository, comment, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/comments/:comment_id', {
    ...write,
    door: takenBack,
    id: 'delete-a-commit-comment',
    summary: 'Deletes a comment on a commit, for its author and people with write access.',
    handle: ({ target, params }) => done(commitComments.remove(target, readId(params.comment_id))),
  }),
]

type ReactionNeeds = { commitComments: CommitComments; reactions: Reactions }

export const commitCommentReactionRoutes = ({ commitComments, reactions }: ReactionNeeds): readonly Route[] =>
  makeReactionRoutes(reactions, {
    path: 'comments/:comment_id',
    word: 'a-commit-comment',
    what: 'a comment on a commit',
    permission: { read: 'contents=read', write: 'contents=read' },
    find: (_actor, repository, { comment_id }) => commitComments.subject(repository, readId(comment_id)),
  })
