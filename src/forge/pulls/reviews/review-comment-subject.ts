/** Line comments of pulls as subjects of reactions. */
import type { Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { FindSubject } from '../../issues/reactions/reactions.ts'

/** Comments of a pending review take no reactions: it is not submitted. */
export const findReviewCommentSubject =
  (repository: Repository, id: number): FindSubject =>
  async (on) => {
    const row = await on
      .selectFrom('review_comment')
      .innerJoin('review', 'review.id', 'review_comment.review_id')
      .innerJoin('issue', 'issue.id', 'review_comment.issue_id')
      .select(['issue.id as issue_id', 'issue.is_locked'])
      .where('review_comment.id', '=', id)
      .where('review_comment.repository_id', '=', repository.id)
      .where('review.state', '!=', 'PENDING')
      .where('issue.deleted_at', 'is', null)
      .executeTakeFirst()
    if (!row) throw notFound()
    return { kind: 'review-comment', id, isLocked: row.is_locked === 1, issueId: row.issue_id }
  }
