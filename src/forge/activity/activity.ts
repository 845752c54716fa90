/** Activity: each act is recorded once, in its own transaction, by ids alone. A job then dispatches it to the consumers. */
import { sql } from 'kysely'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { type ActivityRow, makeActivityDispatch, withoutRemovedText } from './activity-dispatch.ts'
import { noteThreadChange, readThreadChange } from './thread-changes.ts'

type OfRepository = { readonly actorId: number; readonly repositoryId: number }
type OfOrganisation = { readonly actorId: number; readonly organisationId: number; readonly subjectId: number }

/** The users and teams that a text mentions and that could read the repository when it was written. */
export type Mentions = { readonly users: readonly number[]; readonly teams: readonly number[] }
type Mentioning = { readonly mentions: Mentions }
/** The former value of each member that an edit changed. */
export type Changes = Readonly<Record<string, { readonly from: unknown }>>
type Changing = { readonly changes?: Changes }
type ForApp = { readonly installation?: { readonly id: number; readonly appId: number } }
/** Data that is gone after the act, kept until the activity is dispatched. */
type Snapshot<T extends string> = { readonly gone: { readonly [K in T]: object } }

/** `subjectId`: the issue, which may be a pull. */
type OfIssue<K extends string> = OfRepository & { readonly kind: K; readonly subjectId: number }

/** `subjectId`: the invitation, which is deleted once it is answered. */
type OfInvitation<K extends string> = OfRepository & {
  readonly kind: K
  readonly subjectId: number
  readonly data: { readonly inviteeId: number }
}

export type IssueActivity =
  | OfIssue<'issue-closed' | 'issue-reopened' | 'pull-merged'>
  | (OfIssue<'issue-deleted'> & { readonly data: Snapshot<'issue'> })
  /** Labels, milestones, locks, pins and the like, in the public platform's words. */
  | (OfIssue<'issue-changed'> & { readonly data: IssueChange })
  | (OfIssue<'comment-deleted'> & { readonly data: Snapshot<'comment'> })
  | (OfIssue<'review-changed'> & {
      readonly data: Changing & { readonly action: 'edited' | 'dismissed'; readonly reviewId: number }
    })
  | (OfIssue<'review-comment-edited'> & { readonly data: Changing & { readonly commentId: number } })
  | (OfIssue<'review-comment-deleted'> & { readonly data: Snapshot<'comment'> })
  /** `before`: the head's previous commit. */
  | (OfIssue<'pull-pushed'> & { readonly data?: { readonly before: string } })
  /** `repositoryId`: the new repository. */
  | (OfIssue<'issue-transferred'> & {
      readonly data: Snapshot<'issue'> & { readonly fromRepositoryId: number }
    })
  /** For an edit, `mentions` holds only the added ones. */
  | (OfIssue<'issue-edited'> & { readonly data: Mentioning & Changing })
  | (OfIssue<'issue-opened'> & { readonly data: Mentioning & { readonly assigneeIds: readonly number[] } })
  | (OfIssue<'issue-commented' | 'review-commented'> & { readonly data: Mentioning & { readonly commentId: number } })
  | (OfIssue<'comment-edited'> & { readonly data: Mentioning & Changing & { readonly commentId: number } })
  | (OfIssue<'issue-assigned' | 'issue-unassigned'> & { readonly data: { readonly assigneeId: number } })
  | (OfIssue<'review-requested'> & { readonly data: { readonly reviewerId?: number; readonly teamId?: number } })
  | (OfIssue<'pull-reviewed'> & { readonly data: Mentioning & { readonly reviewId: number } })

export type IssueChange = {
  readonly action:
    | 'labeled'
    | 'unlabeled'
    | 'milestoned'
    | 'demilestoned'
    | 'locked'
    | 'unlocked'
    | 'pinned'
    | 'unpinned'
    | 'converted_to_draft'
    | 'ready_for_review'
    | 'review_request_removed'
    | 'auto_merge_enabled'
    | 'auto_merge_disabled'
    | 'edited'
  readonly changes?: object
  readonly gone?: { readonly label?: object; readonly milestone?: object }
  readonly reviewerId?: number
  readonly teamId?: number
}

/** An act. Consumers read its details from the tables; `data` holds those that the act itself removed. */
export type Activity =
  /** `subjectId`: the push, whose row has the refs. */
  | (OfRepository & { readonly kind: 'push'; readonly subjectId: number })
  | (OfRepository & { readonly kind: 'repository-created' | 'repository-starred' | 'repository-unstarred' })
  /** In the public platform's words. */
  | (OfRepository & {
      readonly kind: 'repository-changed'
      readonly data: Changing & {
        readonly action: 'edited' | 'renamed' | 'archived' | 'unarchived' | 'privatized' | 'transferred'
      }
    })
  | (OfRepository & { readonly kind: 'repository-publicized' })
  | (OfRepository & {
      readonly kind: 'label-changed'
      readonly data: Changing & Snapshot<'label'> & { readonly action: 'created' | 'edited' | 'deleted' }
    })
  | (OfRepository & {
      readonly kind: 'milestone-changed'
      readonly data: Changing &
        Snapshot<'milestone'> & { readonly action: 'created' | 'edited' | 'closed' | 'opened' | 'deleted' }
    })
  /** `subjectId`: the status; `sha`: its commit. */
  | (OfRepository & {
      readonly kind: 'status-set'
      readonly subjectId: number
      readonly data: { readonly sha: string }
    })
  /** `event`: the caller's own word. */
  | (OfRepository & {
      readonly kind: 'repository-dispatched'
      readonly data: Snapshot<'payload'> & { readonly event: string }
    })
  /** `subjectId`: the deployment; those who must agree to it. */
  | (OfRepository & {
      readonly kind: 'deployment-created'
      readonly subjectId: number
      readonly data: Mentions & { readonly title: string }
    })
  /** `subjectId`: the status. */
  | (OfRepository & {
      readonly kind: 'deployment-status-set'
      readonly subjectId: number
      readonly data: { readonly deploymentId: number }
    })
  /** `subjectId`: the run or the suite; `installation`: its app alone is told. */
  | (OfRepository & {
      readonly kind: 'check-run-changed'
      readonly subjectId: number
      readonly data: ForApp & { readonly action: 'created' | 'completed' | 'rerequested' }
    })
  | (OfRepository & {
      readonly kind: 'check-suite-changed'
      readonly subjectId: number
      readonly data: ForApp & { readonly action: 'completed' | 'requested' | 'rerequested' }
    })
  /** `subjectId`: the fork. */
  | (OfRepository & { readonly kind: 'repository-forked'; readonly subjectId: number })
  | (OfRepository & {
      readonly kind: 'repository-deleted'
      readonly data: Snapshot<'repository'> & { readonly ownerId: number; readonly name: string }
    })
  | OfInvitation<'repository-invitation'>
  | OfInvitation<'invitation-ended'>
  /** `subjectId`: the user. */
  | (OfRepository & {
      readonly kind: 'collaborator-added'
      readonly subjectId: number
      /** `former`: their previous level, in the same words. */
      readonly data: { readonly level: string; readonly former?: string }
    })
  | (OfRepository & { readonly kind: 'collaborator-removed'; readonly subjectId: number })
  | IssueActivity
  /** `subjectId`: the release. */
  | (OfRepository & { readonly kind: 'release-published'; readonly subjectId: number; readonly data: Mentioning })
  | (OfRepository & {
      readonly kind: 'release-changed'
      readonly subjectId: number
      readonly data: Changing & { readonly action: ReleaseAction; readonly gone?: { readonly release: object } }
    })
  /** `subjectId`: the comment; `title`: the commit's first line; `authorId`: the commit's author, if known. */
  | (OfRepository & {
      readonly kind: 'commit-commented'
      readonly subjectId: number
      readonly data: Mentioning & { readonly sha: string; readonly title: string; readonly authorId: number | null }
    })
  | (OfOrganisation & { readonly kind: 'member-invited' | 'member-joined' | 'member-removed' })
  /** `subjectId`: the team; `repositoryId`: the repository that it was given or lost. */
  | (OfOrganisation & {
      readonly kind: 'team-changed'
      readonly data: Changing & Snapshot<'team'> & { readonly action: TeamAction; readonly repositoryId?: number }
    })
  /** `subjectId`: the user. */
  | (OfOrganisation & {
      readonly kind: 'team-member-added' | 'team-member-removed'
      readonly data: Snapshot<'team'>
    })
  /** `subjectId`: the installation, which may be gone; `repositories`: its set of repositories changed. */
  | {
      readonly kind: 'installation-changed'
      readonly actorId: number
      readonly subjectId: number
      readonly data: {
        readonly action: 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted' | 'repositories'
        readonly appId: number
        readonly accountId: number
        readonly gone: {
          readonly installation: object
          readonly added: readonly object[]
          readonly removed: readonly object[]
        }
      }
    }
  /** The organisation began or ceased to accept a token of the subject. */
  | (OfOrganisation & { readonly kind: 'credential-authorized' | 'credential-deauthorized' })

type ReleaseAction = 'created' | 'edited' | 'deleted' | 'prereleased' | 'released' | 'unpublished'
type TeamAction = 'created' | 'edited' | 'deleted' | 'added_to_repository' | 'removed_from_repository'

export type RecordedActivity = Activity & { readonly id: number; readonly createdAt: Date }

/** Kinds that only webhooks hear of: notifications and feeds never see them. */
const hookKinds = [
  'repository-changed',
  'repository-unstarred',
  'label-changed',
  'milestone-changed',
  'status-set',
  'check-run-changed',
  'check-suite-changed',
  'deployment-status-set',
  'repository-dispatched',
  'issue-changed',
  'release-changed',
] as const satisfies readonly Activity['kind'][]

/**
 * Readers wait until this row is dispatched. Kinds for hooks alone, perhaps most rows, are left out: readers never
 * see them.
 */
export const newestUndispatched = sql<number | null>`(select max(id) from activity
  where told_at is null and kind not in (${sql.join(hookKinds.map((kind) => sql.lit(kind)))}))`

export type HookKind = (typeof hookKinds)[number]
type ForHooks = { readonly kind: HookKind }
const areForHooks: ReadonlySet<string> = new Set(hookKinds)

/** Its writes are committed with the dispatch mark, so each activity reaches it once. Longer work goes into a job. */
type Consume<A> = (trx: Db, activity: A) => Promise<void>
/** What notifications and feeds consume: kinds for hooks alone never reach them. */
export type ConsumedActivity = Exclude<RecordedActivity, ForHooks>
export type ActivityConsumer = Consume<ConsumedActivity>
export type HookConsumer = {
  readonly consume: Consume<RecordedActivity>
  /** Whether any hook may hear of it; if none may, it is marked as dispatched at once. Asked in the write that records it. */
  hasListener(trx: Db, activity: Activity & ForHooks): Promise<boolean>
}

export type ActivityRecord = ReturnType<typeof makeActivity>

const pruningKind = 'forge.activity-pruning'
const dayMs = 24 * 60 * 60 * 1000
/** The public platform shows events for as long. */
const keptMs = 30 * dayMs
/** Rows pruned in one write. */
const portion = 100

type Needs = { store: Store; clock: Clock; jobs: Jobs; hooks: HookConsumer }

type Row = {
  kind: Activity['kind']
  actorId: number
  repositoryId: number | null
  organisationId: number | null
  subjectId: number | null
  data: string
  at: number
  dispatchedAt: number | null
}

export function makeActivity({ store, clock, jobs, hooks }: Needs) {
  const { db } = store
  const consumers: ActivityConsumer[] = []
  const insert = prepareQuery(db, (row: Row) =>
    db
      .insertInto('activity')
      .values({
        kind: row.kind,
        actor_id: row.actorId,
        repository_id: row.repositoryId,
        organisation_id: row.organisationId,
        subject_id: row.subjectId,
        data: row.data,
        created_at: row.at,
        told_at: row.dispatchedAt,
      })
      .returning('id'),
  )

  async function dispatchRow(trx: Db, row: ActivityRow): Promise<void> {
    const activity = toActivity(row)
    if (!isForHooks(activity)) for (const consumer of consumers) await consumer(trx, activity)
    await hooks.consume(trx, activity)
  }
  const dispatch = makeActivityDispatch({
    store,
    clock,
    jobs,
    newestUndispatched: newestUndispatched,
    dispatchRow: dispatchRow,
  })

  const hasConsumer = async (trx: Db, activity: Activity): Promise<boolean> =>
    !isForHooks(activity) || hooks.hasListener(trx, activity)

  async function prunePortion(): Promise<boolean> {
    const old = store.db
      .selectFrom('activity')
      .select('id')
      .where('created_at', '<', clock.now() - keptMs)
      .limit(portion)
    const ids = (await old.execute()).map(({ id }) => id)
    if (ids.length > 0) await store.write((trx) => trx.deleteFrom('activity').where('id', 'in', ids).execute())
    return ids.length === portion
  }

  jobs.define(pruningKind, async () => {
    // If the dispatching job has given up, its rows are still there: enqueue it again.
    await store.write((trx) => dispatch.enqueue(trx))
    while (await prunePortion());
  })
  jobs.every(pruningKind, dayMs)

  return {
    /** Register consumers before the jobs start: activity dispatched earlier does not reach them. */
    consume: (consumer: ActivityConsumer) => void consumers.push(consumer),

    waitUntilDispatched: dispatch.waitUntilDispatched,
    waitUntilAllDispatched: dispatch.waitUntilAllDispatched,
    waitUntilHooksDispatched: dispatch.waitUntilHooksDispatched,

    /** Recorded in the act's transaction, so it exists exactly if the act does. */
    async record(trx: Db, activity: Activity): Promise<void> {
      const data = JSON.stringify('data' in activity ? activity.data : {})
      const at = clock.now()
      const needsDispatch = await hasConsumer(trx, activity)
      const row: Row = {
        kind: activity.kind,
        actorId: activity.actorId,
        repositoryId: 'repositoryId' in activity ? activity.repositoryId : null,
        organisationId: 'organisationId' in activity ? activity.organisationId : null,
        subjectId: 'subjectId' in activity ? activity.subjectId : null,
        data: needsDispatch ? data : withoutRemovedText(data),
        at,
        dispatchedAt: needsDispatch ? null : at,
      }
      await insert(row, trx)
      const change = readThreadChange(activity)
      if (change) await noteThreadChange(store, trx, change.repositoryId, change.issueId)
      if (needsDispatch) await dispatch.enqueue(trx)
    },
  }
}

const isForHooks = <A extends Activity>(activity: A): activity is A & ForHooks => areForHooks.has(activity.kind)

function toActivity(row: ActivityRow): RecordedActivity {
  const { id, kind, actor_id: actorId, repository_id, organisation_id, subject_id } = row
  return {
    id,
    kind,
    actorId,
    ...(repository_id !== null && { repositoryId: repository_id }),
    ...(organisation_id !== null && { organisationId: organisation_id }),
    ...(subject_id !== null && { subjectId: subject_id }),
    data: JSON.parse(row.data),
    createdAt: new Date(row.created_at),
  } as RecordedActivity
}
