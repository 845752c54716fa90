/** Records issue events within the write that causes them. */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Schema } from '../../store/schema/schema.ts'

/** The data of each type of event besides its actor and commit. People, teams and reviews are ids, read when shown. */
export type EventData = {
  readonly assigned: { readonly assigneeId: number; readonly assignerId: number }
  readonly unassigned: { readonly assigneeId: number; readonly assignerId: number }
  readonly labeled: { readonly label: { readonly name: string; readonly color: string } }
  readonly unlabeled: { readonly label: { readonly name: string; readonly color: string } }
  readonly milestoned: { readonly milestone: { readonly title: string } }
  readonly demilestoned: { readonly milestone: { readonly title: string } }
  readonly renamed: { readonly rename: { readonly from: string; readonly to: string } }
  readonly closed: { readonly stateReason?: string | null }
  readonly reopened: { readonly stateReason?: string | null }
  readonly locked: { readonly lockReason: string | null }
  readonly unlocked: { readonly lockReason?: string | null }
  readonly pinned: Nothing
  readonly unpinned: Nothing
  readonly transferred: Nothing
  readonly mentioned: Nothing
  readonly subscribed: Nothing
  readonly referenced: Nothing
  readonly merged: Nothing
  readonly head_ref_deleted: Nothing
  readonly head_ref_restored: Nothing
  readonly head_ref_force_pushed: Nothing
  readonly base_ref_changed: Nothing
  readonly base_ref_force_pushed: Nothing
  readonly convert_to_draft: Nothing
  readonly ready_for_review: Nothing
  readonly review_requested: ReviewRequest
  readonly review_request_removed: ReviewRequest
  readonly review_dismissed: {
    readonly dismissedReview: {
      readonly state: string
      readonly reviewId: number
      readonly message: string | null
      readonly commitSha?: string
    }
  }
  readonly marked_as_duplicate: Nothing
  readonly unmarked_as_duplicate: Nothing
  readonly connected: Nothing
  readonly disconnected: Nothing
  readonly comment_deleted: Nothing
  readonly user_blocked: Nothing
}

// biome-ignore lint/complexity/noBannedTypes: an object without members, which is stored as `{}`
type Nothing = {}
type ReviewRequest = { readonly requesterId: number } & ({ readonly reviewerId: number } | { readonly teamId: number })

export type EventType = keyof EventData

/** The issue, the actor and the time; `appId`: the app that acted. */
export type EventPlace = {
  readonly repositoryId: number
  readonly issueId: number
  readonly actorId: number
  readonly appId: number | null
  readonly now: number
}

/** The commit that caused the event or is its subject; in the event's own repository unless another is given. */
export type Cause = { readonly commitSha?: string | null; readonly commitRepositoryId?: number | undefined }

export const recordEvent = <T extends EventType>(
  trx: Db,
  place: EventPlace,
  event: T,
  data: EventData[T],
  cause: Cause = {},
): Promise<void> => recordEvents(trx, place, event, [data], cause)

/** Several events of one type, in the given order. */
export async function recordEvents<T extends EventType>(
  trx: Db,
  place: EventPlace,
  event: T,
  each: readonly EventData[T][],
  { commitSha = null, commitRepositoryId = place.repositoryId }: Cause = {},
): Promise<void> {
  if (each.length === 0) return
  await trx
    .insertInto('issue_event')
    .values(
      each.map((data) => ({
        repository_id: place.repositoryId,
        issue_id: place.issueId,
        actor_id: place.actorId,
        event,
        commit_sha: commitSha,
        commit_repository_id: commitSha === null ? null : commitRepositoryId,
        data: JSON.stringify(data),
        app_id: place.appId,
        is_hidden: 0,
        created_at: place.now,
      })),
    )
    .execute()
}

// biome-ignore lint/suspicious/noExplicitAny: any query that selects issues' ids, whatever it joins
type IssueIds = SelectQueryBuilder<Schema, any, { issue_id: number }>

/** The same event for each of many issues, ordered by id. */
export async function recordEventOfEach<T extends EventType>(
  trx: Db,
  {
    repository,
    actorId,
    appId,
    now,
  }: Omit<EventPlace, 'issueId' | 'repositoryId'> & { readonly repository: { readonly id: number } },
  issueIds: IssueIds,
  event: T,
  data: EventData[T],
): Promise<void> {
  await trx
    .insertInto('issue_event')
    .columns([
      'repository_id',
      'issue_id',
      'actor_id',
      'event',
      'commit_sha',
      'data',
      'app_id',
      'is_hidden',
      'created_at',
    ])
    .expression((eb) =>
      eb
        .selectFrom(issueIds.as('changed'))
        .innerJoin('issue', 'issue.id', 'changed.issue_id')
        .select([
          sql.lit(repository.id).as('repository_id'),
          'issue.id as issue_id',
          sql<number>`cast(${actorId} as bigint)`.as('actor_id'),
          sql<string>`cast(${event} as text)`.as('event'),
          sql<string | null>`null`.as('commit_sha'),
          sql<string>`cast(${JSON.stringify(data)} as text)`.as('data'),
          sql<number | null>`cast(${appId} as bigint)`.as('app_id'),
          sql.lit(0).as('is_hidden'),
          sql<number>`cast(${now} as bigint)`.as('created_at'),
        ])
        .where('issue.deleted_at', 'is', null)
        .orderBy('issue.id'),
    )
    .execute()
}
