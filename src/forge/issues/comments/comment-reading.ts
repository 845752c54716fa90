/** Reading comments: a page of them with their authors and reactions in a fixed number of queries. */
import type { Db } from '../../../store/schema/schema.ts'
import { readApps } from '../../apps/app.ts'
import { readPeople } from '../../people/reading.ts'
import { associationOf, hasContributed, isCollaborator, isMember, readReactionCounts } from '../issue-reading.ts'
import type { Comment } from './comment.ts'

/** Of issues that were not deleted. */
export const selectComments = (db: Db) =>
  db
    .selectFrom('issue_comment')
    .innerJoin('issue', 'issue.id', 'issue_comment.issue_id')
    .innerJoin('repository', 'repository.id', 'issue_comment.repository_id')
    .selectAll('issue_comment')
    .select(['issue.number as issue_number', 'issue.is_pull', 'repository.owner_id'])
    .select(isCollaborator('issue_comment.author_id').as('is_collaborator'))
    .select(isMember('issue_comment.author_id').as('is_member'))
    .select(hasContributed('issue_comment.author_id').as('has_contributed'))
    .where('issue.deleted_at', 'is', null)

export type CommentRow = Awaited<ReturnType<ReturnType<typeof selectComments>['executeTakeFirstOrThrow']>>

/** In the order of the rows. */
export async function completeComments(db: Db, rows: readonly CommentRow[]): Promise<Comment[]> {
  const people = await readPeople(
    db,
    rows.map(({ author_id }) => author_id),
  )
  const apps = await readApps(
    db,
    rows.flatMap(({ app_id }) => app_id ?? []),
  )
  const reactions = await readReactionCounts(
    db,
    'issue-comment',
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    id: row.id,
    issueId: row.issue_id,
    issueNumber: row.issue_number,
    isOnPull: row.is_pull === 1,
    author: people.get(row.author_id)!,
    association: associationOf(row.author_id, row),
    body: row.body,
    app: row.app_id === null ? null : (apps.get(row.app_id) ?? null),
    reactions: reactions.get(row.id) ?? {},
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  }))
}
