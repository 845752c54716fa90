/** Threads as their user sees them: the row with its subject, its newest comment and its repository. */

import { sql } from 'kysely'
import type { Db } from '../../store/schema/schema.ts'
import type { Repository } from '../access/repository.ts'
import type { Reason } from './reasons.ts'

export type ThreadSubject =
  | {
      readonly kind: 'issue'
      readonly isPull: boolean
      readonly number: number
      readonly title: string
      readonly latestCommentId: number | null
    }
  | { readonly kind: 'commit'; readonly sha: string; readonly title: string }
  | { readonly kind: 'release'; readonly id: number; readonly title: string }
  | { readonly kind: 'invitation'; readonly id: number; readonly title: string }
  | {
      readonly kind: 'external'
      readonly type: string
      readonly title: string
      readonly url: string | null
      readonly latestCommentUrl: string | null
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
        latestCommentId: row.comment_id,
      }
    case 'commit':
      return { kind: 'commit', sha: row.key, title: title || row.key }
    case 'release':
    case 'invitation':
      return { kind: row.kind, id: Number(row.key), title }
    case 'external': {
      const { url, latest_comment_url: latestCommentUrl } = row
      return { kind: 'external', type: row.type ?? '', title, url, latestCommentUrl }
    }
  }
}
