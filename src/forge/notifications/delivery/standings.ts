/** Standings: the relation of many people to a subject and its repository, read together. */
import type { ThreadState } from '../../../store/schema/notification-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { listReaders } from '../../access/repository.ts'
import { listBlocked } from '../../issues/blocking.ts'
import type { Reason } from './reasons.ts'
import type { Standing } from './recipients.ts'

export type PersonStanding = Standing & {
  readonly userId: number
  readonly subscribedAt: number | null
  readonly threadState: ThreadState
  /** The newest activity that was delivered to them. */
  readonly lastActivityId: number
}

export type SubjectPlace = { readonly subjectId: number; readonly repositoryId: number }

export async function readStandings(
  trx: Db,
  { subjectId, repositoryId }: SubjectPlace,
  userIds: readonly number[],
): Promise<PersonStanding[]> {
  if (userIds.length === 0) return []
  const rows = await trx
    .selectFrom('account')
    .leftJoin('watch', (join) =>
      join.onRef('watch.user_id', '=', 'account.id').on('watch.repository_id', '=', repositoryId),
    )
    .leftJoin('thread', (join) =>
      join.onRef('thread.user_id', '=', 'account.id').on('thread.subject_id', '=', subjectId),
    )
    .select(['account.id', 'account.suspended_at', 'watch.is_ignored'])
    .select(['thread.subscription', 'thread.stored_reason', 'thread.subscribed_at'])
    .select(['thread.state', 'thread.last_activity_id'])
    .where('account.id', 'in', [...userIds])
    .where('account.kind', '=', 'user')
    .orderBy('account.id')
    .execute()
  const readers = await listReaders(trx, repositoryId, userIds)
  const blocked = await listBlocked(trx, repositoryId, userIds)
  return rows.map((row) => ({
    userId: row.id,
    mayRead: readers === 'everyone' || readers.has(row.id),
    isExcluded: row.suspended_at !== null || blocked.has(row.id),
    watching: row.is_ignored === null ? 'none' : row.is_ignored === 1 ? 'ignoring' : 'watching',
    subscription: row.subscription ?? 'none',
    storedReason: row.stored_reason as Reason | null,
    subscribedAt: row.subscribed_at,
    threadState: row.state ?? 'none',
    lastActivityId: row.last_activity_id ?? 0,
  }))
}

/** The ids after `after` of people who watch the repository or have a thread of the subject. */
export async function listFollowers(
  trx: Db,
  { subjectId, repositoryId }: SubjectPlace,
  after: number,
  limit: number,
): Promise<number[]> {
  const watchers = trx
    .selectFrom('watch')
    .select('user_id')
    .where('repository_id', '=', repositoryId)
    .where('is_ignored', '=', 0)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
  const participants = trx
    .selectFrom('thread')
    .select('user_id')
    .where('subject_id', '=', subjectId)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
  const rows = [...(await watchers.execute()), ...(await participants.execute())]
  return [...new Set(rows.map(({ user_id }) => user_id))].sort((a, b) => a - b).slice(0, limit)
}

/** The members of these teams and their subteams, except of teams with notifications turned off. */
export async function listTeamMembers(
  trx: Db,
  teamIds: readonly number[],
): Promise<readonly { readonly teamId: number; readonly userId: number }[]> {
  if (teamIds.length === 0) return []
  const rows = await trx
    .selectFrom('team_ancestor')
    .innerJoin('team', 'team.id', 'team_ancestor.ancestor_id')
    .innerJoin('team_member', 'team_member.team_id', 'team_ancestor.team_id')
    .select(['team.id', 'team_member.user_id'])
    .where('team.id', 'in', [...teamIds])
    .where('team.notification_setting', '<>', 'notifications_disabled')
    .execute()
  return rows.map(({ id, user_id }) => ({ teamId: id, userId: user_id }))
}
