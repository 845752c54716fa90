/** Inserts the row of a line comment. */
import type { Db } from '../../../store/schema/schema.ts'
import type { IssueAct } from '../../issues/issue-act.ts'
import type { CommentPlace } from './comment-place.ts'

type NewComment = {
  readonly issueId: number
  readonly reviewId: number
  readonly body: string
  readonly place: CommentPlace
  readonly replyToId?: number
}

export async function insertComment(trx: Db, by: IssueAct, comment: NewComment): Promise<number> {
  const { id } = await trx
    .insertInto('review_comment')
    .values({
      ...comment.place,
      issue_id: comment.issueId,
      repository_id: by.repository.id,
      review_id: comment.reviewId,
      author_id: by.actorId,
      reply_to_id: comment.replyToId ?? null,
      body: comment.body,
      resolved_by_id: null,
      resolved_at: null,
      created_at: by.now,
      updated_at: by.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
