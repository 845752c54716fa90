/** Maps an activity to hook events, with the public platform's names. */
import type { Db } from '../../store/schema/schema.ts'
import type { Activity, HookKind, RecordedActivity } from '../activity/activity.ts'
import type { RefChange } from '../git/push/ref-change.ts'
import type { HookEventName } from './webhook.ts'

/** The source of a payload: ids, and data that cannot be read later. */
export type HookSource = {
  readonly actorId: number
  readonly repositoryId?: number
  readonly organisationId?: number
  readonly subjectId?: number
  /** For an app's hook: the installation through which it receives the event. */
  readonly installationId?: number
  /** Ids, and data of things that no longer exist. */
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

/** Selects the hooks that receive an event. */
export type HookPlace = {
  readonly repositoryId?: number | undefined
  readonly organisationId?: number | undefined
  readonly at: number
  /** The account whose queue the delivery takes its turn in, if not the owner's. */
  readonly turnId?: number | undefined
  /** Only this installation's app receives it. */
  readonly installation?: { readonly id: number; readonly appId: number } | undefined
  /** The owner of a repository that no longer exists. */
  readonly ownerId?: number | undefined
}

export type HookNames = readonly [HookEventName, HookEventName?]

/** The activities that only hooks receive, and their events. */
export const namesOfHookKinds: Readonly<Record<HookKind, HookNames>> = {
  'repository-changed': ['repository'],
  'repository-unstarred': ['star'],
  'label-changed': ['label'],
  'milestone-changed': ['milestone'],
  'status-set': ['status'],
  'check-run-changed': ['check_run'],
  'check-suite-changed': ['check_suite'],
  'deployment-status-set': ['deployment_status'],
  'repository-dispatched': ['repository_dispatch'],
  'issue-changed': ['issues', 'pull_request'],
  'release-changed': ['release'],
}

const noCommit = /^0+$/
const branchPrefix = 'refs/heads/'
const tagPrefix = 'refs/tags/'
/** A push of more branches than this sends events for none of them; likewise for tags, as on the public platform. */
const mostBranches = 50
const mostTags = 3

/** The places whose hooks receive an activity: some activities concern two places, each in another way. */
export function placesOf(activity: Activity, at: number): HookPlace[] {
  const place: HookPlace = {
    at,
    ...('repositoryId' in activity && { repositoryId: activity.repositoryId }),
    ...('organisationId' in activity && { organisationId: activity.organisationId }),
    ...(activity.kind === 'repository-deleted' && { ownerId: activity.data.ownerId }),
  }
  if (activity.kind === 'installation-changed') {
    const { appId, accountId } = activity.data
    return [{ at, turnId: accountId, installation: { id: activity.subjectId, appId } }]
  }
  if ((activity.kind === 'check-run-changed' || activity.kind === 'check-suite-changed') && activity.data.installation)
    return [{ ...place, installation: activity.data.installation }]
  if (activity.kind === 'issue-transferred') return [{ at, repositoryId: activity.data.fromRepositoryId }, place]
  if (activity.kind === 'team-changed' && activity.data.repositoryId !== undefined)
    return [place, { at, repositoryId: activity.data.repositoryId }]
  return [place]
}

export async function toHookEvents(trx: Db, activity: RecordedActivity, place: HookPlace): Promise<HookEvent[]> {
  const source = toSource(activity)
  const of = (event: HookEventName, action: string | null, more: object = {}): HookEvent => ({
    event,
    action,
    source: { ...source, ...more },
  })
  switch (activity.kind) {
    case 'push':
      return readPushEvents(trx, activity.subjectId, of)
    case 'issue-opened':
    case 'issue-edited':
    case 'issue-closed':
    case 'issue-reopened':
    case 'issue-assigned':
    case 'issue-unassigned':
      return [of(await wordFor(trx, activity.subjectId), activity.kind.slice('issue-'.length))]
    case 'issue-changed':
      return [of(await wordFor(trx, activity.subjectId), activity.data.action)]
    case 'issue-deleted':
      return [of('issues', 'deleted')]
    case 'issue-transferred': {
      const { fromRepositoryId, gone } = activity.data
      const data = { gone, fromRepositoryId, toRepositoryId: activity.repositoryId }
      return place.repositoryId === fromRepositoryId
        ? [of('issues', 'transferred', { repositoryId: fromRepositoryId, data })]
        : [of('issues', 'opened', { data })]
    }
    case 'pull-pushed':
      return [of('pull_request', 'synchronize')]
    case 'review-requested':
      return [of('pull_request', 'review_requested')]
    case 'issue-commented':
      return [of('issue_comment', 'created')]
    case 'comment-edited':
      return [of('issue_comment', 'edited')]
    case 'comment-deleted':
      return [of('issue_comment', 'deleted')]
    case 'review-changed':
      return [of('pull_request_review', activity.data.action)]
    case 'review-comment-edited':
      return [of('pull_request_review_comment', 'edited')]
    case 'review-comment-deleted':
      return [of('pull_request_review_comment', 'deleted')]
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
    case 'release-changed':
      return [of('release', activity.data.action)]
    case 'label-changed':
      return [of('label', activity.data.action)]
    case 'milestone-changed':
      return [of('milestone', activity.data.action)]
    case 'status-set':
      return [of('status', null)]
    case 'check-run-changed':
      return [of('check_run', activity.data.action)]
    case 'check-suite-changed':
      return [of('check_suite', activity.data.action)]
    case 'deployment-created':
      return [of('deployment', 'created')]
    case 'deployment-status-set':
      return [of('deployment_status', 'created')]
    case 'repository-dispatched':
      return [of('repository_dispatch', activity.data.event)]
    case 'repository-starred':
      return [of('star', 'created'), of('watch', 'started')]
    case 'repository-unstarred':
      return [of('star', 'deleted')]
    case 'repository-forked':
      return [of('fork', null)]
    case 'repository-publicized':
      return [of('repository', 'publicized'), of('public', null)]
    case 'repository-changed':
      return [of('repository', activity.data.action)]
    case 'installation-changed': {
      const { action, gone } = activity.data
      if (action !== 'repositories') return [of('installation', action)]
      const isMore = gone.added.length > 0 || gone.removed.length === 0
      return [
        ...(isMore ? [of('installation_repositories', 'added')] : []),
        ...(gone.removed.length > 0 ? [of('installation_repositories', 'removed')] : []),
      ]
    }
    case 'team-changed':
      return ofTeam(activity, place, of)
    case 'team-member-added':
      return [of('membership', 'added')]
    case 'team-member-removed':
      return [of('membership', 'removed')]
    case 'commit-commented':
      return [of('commit_comment', 'created')]
    case 'repository-created':
    case 'repository-deleted':
      return [of('repository', activity.kind.slice('repository-'.length))]
    case 'collaborator-added':
      return [of('member', activity.data.former === undefined ? 'added' : 'edited')]
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

type MakeEvent = (event: HookEventName, action: string | null, more?: object) => HookEvent

/** The organisation receives a change of the team; a repository receives that a team that is not secret was added. */
function ofTeam(
  { data, organisationId }: Extract<RecordedActivity, { kind: 'team-changed' }>,
  { repositoryId }: HookPlace,
  of: MakeEvent,
): HookEvent[] {
  if (repositoryId === undefined) return [of('team', data.action)]
  const isVisible =
    data.action === 'added_to_repository' && (data.gone.team as { privacy?: string }).privacy !== 'secret'
  return isVisible ? [of('team_add', null, { repositoryId, organisationId })] : []
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

async function readPushEvents(trx: Db, pushId: number, of: MakeEvent): Promise<HookEvent[]> {
  const row = await trx.selectFrom('push').select(['changes', 'options']).where('id', '=', pushId).executeTakeFirst()
  const data = row?.options ? { pushOptions: JSON.parse(row.options) } : {}
  const changes: RefChange[] = row ? JSON.parse(row.changes) : []
  const below = (prefix: string, most: number) => {
    const found = changes.filter(({ ref }) => ref.startsWith(prefix))
    return found.length > most ? [] : found
  }
  const told = [...below(branchPrefix, mostBranches), ...below(tagPrefix, mostTags)]
  return told.flatMap((ref) => ofRef(ref, data, of))
}

/** A created or deleted ref sends two events: a push, and the creation or deletion. */
function ofRef(ref: RefChange, data: object, of: MakeEvent): HookEvent[] {
  return [
    ...(noCommit.test(ref.before) ? [of('create', null, { ref })] : []),
    ...(noCommit.test(ref.after) ? [of('delete', null, { ref })] : []),
    of('push', null, { ref, data }),
  ]
}

/** The event's name: a pull is stored as an issue, too. */
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
