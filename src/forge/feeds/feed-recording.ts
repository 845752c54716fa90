/** Turns activities into feed events, in the order in which they are told. */
import type { Db } from '../../store/schema/schema.ts'
import type { RecordedActivity } from '../activity/activity.ts'
import type { RefChange } from '../git/push/ref-change.ts'
import { zeroId } from '../git/ref-name.ts'
import type { FeedType, RefFacts } from './feed-event.ts'

type Draft = {
  readonly type: FeedType
  readonly action?: string
  readonly subjectId?: number
  readonly data?: object
}

/** Events per push: a push of a thousand branches makes events for the first ones only. */
const maxRefsOfPush = 20

export async function recordFeedEvents(trx: Db, activity: RecordedActivity): Promise<void> {
  if (!('repositoryId' in activity)) return
  const drafts = await draftEvents(trx, activity)
  if (drafts.length === 0) return
  const repository = await trx
    .selectFrom('repository')
    .innerJoin('account', 'account.id', 'repository.owner_id')
    .select(['repository.id', 'is_private', 'owner_id', 'account.kind'])
    .where('repository.id', '=', activity.repositoryId)
    .executeTakeFirst()
  const actor = await trx.selectFrom('account').select('id').where('id', '=', activity.actorId).executeTakeFirst()
  // Either may have been deleted by now.
  if (!repository || !actor) return
  await trx
    .insertInto('feed_event')
    .values(
      drafts.map(({ type, action = null, subjectId = null, data = {} }) => ({
        type,
        action,
        actor_id: actor.id,
        repository_id: repository.id,
        organisation_id: repository.kind === 'organisation' ? repository.owner_id : null,
        is_private: repository.is_private,
        subject_id: subjectId,
        data: JSON.stringify(data),
        created_at: activity.createdAt.getTime(),
      })),
    )
    .execute()
}

async function draftEvents(trx: Db, activity: RecordedActivity): Promise<Draft[]> {
  switch (activity.kind) {
    case 'push':
      return draftPush(trx, activity.subjectId)
    case 'repository-created':
      return (await isFork(trx, activity.repositoryId)) ? [] : [{ type: 'CreateEvent' }]
    case 'repository-forked':
      return [{ type: 'ForkEvent', action: 'forked', subjectId: activity.subjectId }]
    case 'repository-starred':
      return [{ type: 'WatchEvent', action: 'started' }]
    case 'repository-publicized':
      return [{ type: 'PublicEvent' }]
    case 'collaborator-added':
      return [{ type: 'MemberEvent', action: 'added', subjectId: activity.subjectId }]
    case 'issue-opened':
      return draftIssue(trx, activity.subjectId, 'opened')
    case 'issue-closed':
      return draftIssue(trx, activity.subjectId, 'closed')
    case 'issue-reopened':
      return draftIssue(trx, activity.subjectId, 'reopened')
    case 'pull-merged':
      return [{ type: 'PullRequestEvent', action: 'merged', subjectId: activity.subjectId }]
    case 'issue-commented':
      return [draftOf('IssueCommentEvent', activity.subjectId, { commentId: activity.data.commentId })]
    case 'pull-reviewed':
      return [draftOf('PullRequestReviewEvent', activity.subjectId, { reviewId: activity.data.reviewId })]
    case 'review-commented':
      return [draftOf('PullRequestReviewCommentEvent', activity.subjectId, { commentId: activity.data.commentId })]
    case 'release-published':
      return [{ type: 'ReleaseEvent', action: 'published', subjectId: activity.subjectId }]
    case 'commit-commented':
      return [draftOf('CommitCommentEvent', activity.subjectId)]
    default:
      return []
  }
}

const draftOf = (type: FeedType, subjectId: number, data: object = {}): Draft => ({
  type,
  action: 'created',
  subjectId,
  data,
})

async function draftIssue(trx: Db, issueId: number, action: string): Promise<Draft[]> {
  const row = await trx
    .selectFrom('issue')
    .leftJoin('pull', 'pull.issue_id', 'issue.id')
    .select(['issue.is_pull', 'pull.merged_at'])
    .where('issue.id', '=', issueId)
    .executeTakeFirst()
  // A merge closes its pull, and has made its own event.
  if (action === 'closed' && row?.merged_at) return []
  return [{ type: row?.is_pull === 1 ? 'PullRequestEvent' : 'IssuesEvent', action, subjectId: issueId }]
}

async function isFork(trx: Db, repositoryId: number): Promise<boolean> {
  const row = await trx.selectFrom('repository').select('parent_id').where('id', '=', repositoryId).executeTakeFirst()
  return row !== undefined && row.parent_id !== null
}

async function draftPush(trx: Db, pushId: number): Promise<Draft[]> {
  const row = await trx.selectFrom('push').select('changes').where('id', '=', pushId).executeTakeFirst()
  const changes: RefChange[] = row ? JSON.parse(row.changes) : []
  return changes
    .filter(({ ref }) => /^refs\/(?:heads|tags)\//.test(ref))
    .slice(0, maxRefsOfPush)
    .map(({ ref, before, after }) => {
      const data: RefFacts = { ref, before, after, pushId }
      const type = before === zeroId ? 'CreateEvent' : after === zeroId ? 'DeleteEvent' : 'PushEvent'
      return { type, data }
    })
}
