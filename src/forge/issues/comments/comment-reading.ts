/** Reads comments: each with its author and reactions in one query; long texts after it. */
import { readLongTexts, shortText } from '../../../store/long-texts.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { appBy, readApp } from '../../apps/app.ts'
import { personBy, readPerson } from '../../people/reading.ts'
import {
  associationOf,
  hasContributed,
  isCollaborator,
  isMember,
  reactionsTo,
  readReactions,
} from '../issue-reading.ts'
import type { Comment } from './comment.ts'

/** Comments of issues that are not deleted. */
export const selectComments = (db: Db) =>
  db
    .selectFrom('issue_comment')
    .innerJoin('issue', 'issue.id', 'issue_comment.issue_id')
    .innerJoin('repository', 'repository.id', 'issue_comment.repository_id')
    .select([
      ...(['issue_comment.id', 'issue_comment.repository_id', 'issue_comment.issue_id'] as const),
      ...(['issue_comment.author_id', 'issue_comment.app_id', 'issue_comment.created_at'] as const),
      ...(['issue_comment.updated_at'] as const),
    ])
    .select(shortText<string, 'body'>('issue_comment', 'body'))
    .select(['issue.number as issue_number', 'issue.is_pull', 'repository.owner_id'])
    .select(isCollaborator('issue_comment.author_id').as('is_collaborator'))
    .select(isMember('issue_comment.author_id').as('is_member'))
    .select(hasContributed('issue_comment.author_id').as('has_contributed'))
    .select(personBy(db, 'issue_comment.author_id').as('author'))
    .select(appBy(db, 'issue_comment.app_id').as('app'))
    .select(reactionsTo(db, 'issue-comment', 'issue_comment.id').as('reactions'))
    .where('issue.deleted_at', 'is', null)

export type CommentRow = Awaited<ReturnType<ReturnType<typeof selectComments>['executeTakeFirstOrThrow']>>

const toComment = (row: CommentRow): Comment => ({
  id: row.id,
  issueId: row.issue_id,
  issueNumber: row.issue_number,
  isOnPull: row.is_pull === 1,
  author: readPerson(row.author)!,
  association: associationOf(row.author_id, row),
  body: row.body,
  app: readApp(row.app),
  reactions: readReactions(row.reactions),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

/** In the order of the rows. */
export async function completeComments(db: Db, rows: readonly CommentRow[]): Promise<Comment[]> {
  await readLongTexts(db, 'issue_comment', rows)
  return rows.map(toComment)
}
