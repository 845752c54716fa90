/** Threads as their user sees them: the row with its subject, newest comment and repository. */

import { sql } from 'kysely'
import type { Db } from '../../../store/schema/schema.ts'
import type { Repository } from '../../access/repository.ts'
import type { Reason } from '../delivery/reasons.ts'

export type ThreadSubject =
  | {
      readonly kind: 'issue'
      readonly isPull: boolean
      readonly number: number
      readonly title: string
      readonly latestComment: { readonly id: number; readonly isOfReview: boolean } | null
    }
  | { readonly kind: 'commit'; readonly sha: string; readonly title: string; readonly latestCommentId: number | null }
  | { readonly kind: 'release'; readonly id: number; readonly title: string }
  | { readonly kind: 'invitation'; readonly id: number; readonly title: string }
  | {
      readonly kind: 'external'
      readonly type: string
      readonly title: string
      readonly url: string | null
      readonly latestCommentUrl: string | null
      /** Set if the thread is about a submission to the judge. */
      readonly submissionId: number | undefined
    }

export type Thread = {
  readonly id: number
  readonly repository: Repository
  readonly subject: ThreadSubject
  readonly reason: Reason
  readonly isUnread: boolean
  readonly updatedAt: Date
  readonly lastReadAt: Date | null
}

/** Comments of a pending review are visible to its author alone. */
const newestOfReviews = sql`(select max(c.id) from review_comment c join review r on r.id = c.review_id
  where c.issue_id = issue.id and r.state <> 'PENDING')`

export const selectThreads = (db: Db) =>
  db
    .selectFrom('thread')
    .innerJoin('thread_subject', 'thread_subject.id', 'thread.subject_id')
    .leftJoin('issue', 'issue.id', 'thread_subject.issue_id')
    .select(['thread.id', 'thread.repository_id', 'thread.reason', 'thread.state'])
    .select(['thread.updated_at', 'thread.last_read_at', 'thread.subject_id'])
    .select(['kind', 'key', 'type', 'url', 'latest_comment_url', 'thread_subject.title as subject_title'])
    .select(['issue.number', 'issue.is_pull', 'issue.title as issue_title'])
    .select(sql<number | null>`(select max(c.id) from issue_comment c where c.issue_id = issue.id)`.as('comment_id'))
    .select(
      sql<string | null>`case when thread_subject.kind = 'release' then
        (select coalesce(nullif(r.name, ''), r.tag) from release r where r.id = cast(thread_subject.key as bigint)) end`.as(
        'release_title',
      ),
    )
    .select(
      sql<number | null>`case when thread_subject.kind = 'commit' then (select max(c.id) from commit_comment c
        where c.repository_id = thread_subject.repository_id and c.sha = thread_subject.key) end`.as(
        'commit_comment_id',
      ),
    )
    .select(sql<number | null>`case when issue.is_pull = 1 then ${newestOfReviews} end`.as('review_comment_id'))
    .select(
      sql<number>`case when issue.is_pull = 1 and coalesce(
        (select c.created_at from review_comment c where c.id = ${newestOfReviews})
        > (select c.created_at from issue_comment c where c.issue_id = issue.id order by c.id desc limit 1), true)
        then 1 else 0 end`.as('is_review_newer'),
    )

export type ThreadRow = Awaited<ReturnType<ReturnType<typeof selectThreads>['executeTakeFirstOrThrow']>>

export const toThread = (row: ThreadRow, repository: Repository): Thread => ({
  id: row.id,
  repository,
  subject: toSubject(row),
  reason: row.reason as Reason,
  isUnread: row.state === 'unread',
  updatedAt: new Date(row.updated_at),
  lastReadAt: row.last_read_at === null ? null : new Date(row.last_read_at),
})

function toSubject(row: ThreadRow): ThreadSubject {
  const title = row.subject_title ?? ''
  switch (row.kind) {
    case 'issue':
      return {
        kind: 'issue',
        isPull: row.is_pull === 1,
        number: row.number ?? 0,
        title: row.issue_title ?? '',
        latestComment: latestCommentOf(row),
      }
    case 'commit':
      return { kind: 'commit', sha: row.key, title: title || row.key, latestCommentId: row.commit_comment_id }
    case 'release':
    case 'invitation':
      return { kind: row.kind, id: Number(row.key), title: row.release_title ?? title }
    case 'external': {
      const { url, latest_comment_url: latestCommentUrl } = row
      // Keys of other systems begin with their type and end with an address or a title.
      const submission = row.type === 'CheckSuite' ? /^submission (\d{1,15})$/.exec(row.key)?.[1] : undefined
      const submissionId = submission === undefined ? undefined : Number(submission)
      return { kind: 'external', type: row.type ?? '', title, url, latestCommentUrl, submissionId }
    }
  }
}

function latestCommentOf({ comment_id, review_comment_id, is_review_newer }: ThreadRow) {
  if (review_comment_id !== null && (comment_id === null || is_review_newer === 1))
    return { id: review_comment_id, isOfReview: true }
  return comment_id === null ? null : { id: comment_id, isOfReview: false }
}
