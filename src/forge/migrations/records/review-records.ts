/** Records of reviews and comments on lines. Pending reviews are private and not exported. */
import { type SqlBool, sql } from 'kysely'
import { formatTime, formatTimeOrNull } from './addresses.ts'
import type { ExportContext, ExportedRepository } from './export-context.ts'
import { pageSize, readPages } from './keyed-pages.ts'
import { readReactions } from './reaction-records.ts'

const isHandedIn = sql<SqlBool>`review.state <> 'PENDING'`

export async function writeReviews(context: ExportContext, repository: ExportedRepository): Promise<void> {
  const { db, addresses, people, files } = context
  const read = (after: number) =>
    db
      .selectFrom('review')
      .innerJoin('issue', 'issue.id', 'review.issue_id')
      .selectAll('review')
      .select('issue.number')
      .where('review.repository_id', '=', repository.id)
      .where('issue.deleted_at', 'is', null)
      .where(isHandedIn)
      .where('review.id', '>', after)
      .orderBy('review.id')
      .limit(pageSize)
      .execute()
  for await (const rows of readPages(read, ({ id }) => id)) {
    await people.look(rows.map(({ author_id }) => author_id))
    for (const row of rows) {
      const pull = addresses.issue(repository, row.number, true)
      await files.add({
        type: 'pull_request_review',
        url: addresses.review(pull, row.id),
        pull_request: pull,
        user: people.address(row.author_id),
        body: row.body,
        formatter: 'markdown',
        state: row.state,
        commit_id: row.commit_sha,
        submitted_at: formatTimeOrNull(row.submitted_at),
        created_at: formatTime(row.created_at),
        updated_at: formatTime(row.updated_at),
      })
    }
  }
}

export async function writeReviewComments(context: ExportContext, repository: ExportedRepository): Promise<void> {
  const { db, addresses, people, files } = context
  const read = (after: number) =>
    db
      .selectFrom('review_comment')
      .innerJoin('review', 'review.id', 'review_comment.review_id')
      .innerJoin('issue', 'issue.id', 'review_comment.issue_id')
      .selectAll('review_comment')
      .select('issue.number')
      .where('review_comment.repository_id', '=', repository.id)
      .where('issue.deleted_at', 'is', null)
      .where(isHandedIn)
      .where('review_comment.id', '>', after)
      .orderBy('review_comment.id')
      .limit(pageSize)
      .execute()
  for await (const rows of readPages(read, ({ id }) => id)) {
    const ids = rows.map(({ id }) => id)
    const reactions = await readReactions(context, 'review-comment', ids)
    await people.look(rows.flatMap(({ author_id, resolved_by_id }) => [author_id, resolved_by_id]))
    for (const row of rows) {
      const pull = addresses.issue(repository, row.number, true)
      await files.add({
        type: 'pull_request_review_comment',
        url: addresses.reviewComment(pull, row.id),
        pull_request: pull,
        pull_request_review: addresses.review(pull, row.review_id),
        user: people.address(row.author_id),
        body: row.body,
        formatter: 'markdown',
        path: row.path,
        subject_type: row.subject_kind,
        diff_hunk: row.diff_hunk,
        side: row.side,
        start_side: row.start_side,
        original_commit_id: row.original_commit_sha,
        original_position: row.original_position,
        original_line: row.original_line,
        original_start_line: row.original_start_line,
        in_reply_to: row.reply_to_id === null ? null : addresses.reviewComment(pull, row.reply_to_id),
        resolved_at: formatTimeOrNull(row.resolved_at),
        resolved_by: people.addressOrNull(row.resolved_by_id),
        reactions: reactions(row.id),
        created_at: formatTime(row.created_at),
        updated_at: formatTime(row.updated_at),
      })
    }
  }
}
