/** What an activity is to hooks: the events that it comes to, by the public platform's names. */
import type { Db } from '../../store/schema/schema.ts'
import type { RecordedActivity } from '../activity/activity.ts'
import type { RefChange } from '../git/ref-change.ts'
import type { HookEventName } from './webhook.ts'

/** What a payload is made of: ids, and what can't be read later. */
export type HookSource = {
  readonly actorId: number
  readonly repositoryId?: number
  readonly organisationId?: number
  readonly subjectId?: number
  /** Ids and what is gone by then. */
  // biome-ignore lint/suspicious/noExplicitAny: the data of each kind of activity, read back from JSON
  readonly data: any
  readonly ref?: RefChange
  readonly at: number
}

export type HookEvent = {
  readonly event: HookEventName
  readonly action: string | null
  readonly source: HookSource
}

const noCommit = /^0+$/
const branchPrefix = 'refs/heads/'
const tagPrefix = 'refs/tags/'
/** Of a push of more branches, or of more tags, none of those is told, as on the public platform of more than three tags. */
const mostBranches = 50
const mostTags = 3

export async function toHookEvents(trx: Db, activity: RecordedActivity): Promise<HookEvent[]> {
  const source = toSource(activity)
  const of = (event: HookEventName, action: string | null, more: object = {}): HookEvent => ({
    event,
    action,
    source: { ...source, ...more },
  })
  switch (activity.kind) {
    case 'push':
      return (await readChanges(trx, activity.subjectId)).flatMap((ref) => ofRef(ref, of))
    case 'issue-opened':
    case 'issue-edited':
    case 'issue-closed':
    case 'issue-reopened':
    case 'issue-assigned':
    case 'issue-unassigned':
      return [of(await wordFor(trx, activity.subjectId), activity.kind.slice('issue-'.length))]
    case 'pull-pushed':
      return [of('pull_request', 'synchronize')]
    case 'review-requested':
      return [of('pull_request', 'review_requested')]
    case 'issue-commented':
      return [of('issue_comment', 'created')]
    case 'comment-edited':
      return [of('issue_comment', 'edited')]
    case 'pull-reviewed':
      return [
        of('pull_request_review', 'submitted'),
        ...(await commentsOf(trx, activity.data.reviewId)).map((commentId) =>
          of('pull_request_review_comment', 'created', { data: { commentId } }),
        ),
      ]
    case 'review-commented':
      return [of('pull_request_review_comment', 'created')]
    case 'release-published':
      return [of('release', 'published')]
    case 'commit-commented':
      return [of('commit_comment', 'created')]
    case 'repository-created':
    case 'repository-deleted':
      return [of('repository', activity.kind.slice('repository-'.length))]
    case 'collaborator-added':
      return [of('member', 'added')]
    case 'collaborator-removed':
      return [of('member', 'removed')]
    case 'member-invited':
      return [of('organization', 'member_invited')]
    case 'member-joined':
      return [of('organization', 'member_added')]
    case 'member-removed':
      return [of('organization', 'member_removed')]
    default:
      return []
  }
}

function toSource(activity: RecordedActivity): HookSource {
  const { actorId, createdAt } = activity
  return {
    actorId,
    ...('repositoryId' in activity && { repositoryId: activity.repositoryId }),
    ...('organisationId' in activity && { organisationId: activity.organisationId }),
    ...('subjectId' in activity && { subjectId: activity.subjectId }),
    data: 'data' in activity ? activity.data : {},
    at: createdAt.getTime(),
  }
}

async function readChanges(trx: Db, pushId: number): Promise<RefChange[]> {
  const row = await trx.selectFrom('push').select('changes').where('id', '=', pushId).executeTakeFirst()
  const changes: RefChange[] = row ? JSON.parse(row.changes) : []
  const below = (prefix: string, most: number) => {
    const found = changes.filter(({ ref }) => ref.startsWith(prefix))
    return found.length > most ? [] : found
  }
  return [...below(branchPrefix, mostBranches), ...below(tagPrefix, mostTags)]
}

/** A ref that comes or goes is told twice: as a push, and as itself. */
function ofRef(ref: RefChange, of: (event: HookEventName, action: null, more: object) => HookEvent): HookEvent[] {
  return [
    ...(noCommit.test(ref.before) ? [of('create', null, { ref })] : []),
    ...(noCommit.test(ref.after) ? [of('delete', null, { ref })] : []),
    of('push', null, { ref }),
  ]
}

/** An issue or a pull: both are issues. */
async function wordFor(trx: Db, issueId: number): Promise<'issues' | 'pull_request'> {
  const row = await trx.selectFrom('issue').select('is_pull').where('id', '=', issueId).executeTakeFirst()
  return row?.is_pull === 1 ? 'pull_request' : 'issues'
}

const commentsOf = async (trx: Db, reviewId: number): Promise<number[]> => {
  const rows = await trx
    .selectFrom('review_comment')
    .select('id')
    .where('review_id', '=', reviewId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
