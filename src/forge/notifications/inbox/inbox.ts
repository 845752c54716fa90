/** The inbox: lists and single threads of a user, and the marks that the user sets on them. */
import { type SelectQueryBuilder, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely'
import type { SignedIn } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import { hasPart } from '../../../store/name-words.ts'
import { prepareQuery } from '../../../store/prepared.ts'
import type { Db, Schema } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Repository } from '../../access/repository.ts'
import { viewerOf } from '../../access/repository.ts'
import type { RequiredGrant } from '../../access/required-grant.ts'
import type { SelfAccess } from '../../access/self-access.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { notFound } from '../../failures.ts'
import { countRows } from '../../row-pages.ts'
import type { Reason } from '../delivery/reasons.ts'
import {
  floorToSecond,
  type InboxChanges,
  type InboxVersion,
  isDone,
  isListed,
  isUnread,
  participates,
} from './inbox-changes.ts'
import { selectThreads, type Thread, type ThreadRow, toThread } from './threads.ts'
import { type Hidden, isVisible, type Visibility } from './visibility.ts'

export type InboxFilter = {
  readonly which: 'unread' | 'all' | 'done'
  readonly isParticipating: boolean
  /** Only threads updated after `since` and before `before`. */
  readonly since?: Date | undefined
  readonly before?: Date | undefined
  readonly repository?: Repository | undefined
  readonly reasons?: readonly Reason[] | undefined
  readonly types?: readonly SubjectType[] | undefined
  /** The title must contain each of these. */
  readonly words?: readonly string[] | undefined
}

/** Subject types as filters name them. */
export const subjectTypes = ['issue', 'pull', 'commit', 'release', 'invitation', 'external'] as const
export type SubjectType = (typeof subjectTypes)[number]

/** Filters by reason, type or words look at this many of the newest threads. */
const mostLookedAt = 10_000

/** The number of the filtered threads in a repository. */
export type RepositoryShare = { readonly repository: Repository; readonly count: number }

/** A signed-in user, with their own credential or a repository's. */
export type Reader = { readonly actor: SignedIn }

/** Other tokens are refused: a fine-grained one covers some repositories, but an inbox is about all. */
export const inboxNeed: RequiredGrant = { tokens: ['classic'], scopes: ['notifications', 'repo'], permissions: [] }

/** The longest that a reader waits for activity not yet dispatched. */
const longestWaitMs = 5_000

type Needs = {
  store: Store
  clock: Clock
  activity: ActivityRecord
  changes: InboxChanges
  visibility: Visibility
}

export type Inbox = ReturnType<typeof makeInbox>

export function makeInbox({ store, clock, activity, changes, visibility }: Needs) {
  const { db } = store

  function matching(userId: number, filter: InboxFilter, hidden: Hidden, on: Db = db) {
    const { which, since, before, repository } = filter
    let found = on
      .selectFrom('thread')
      .where('thread.user_id', '=', userId)
      .where(which === 'done' ? isDone : which === 'all' ? isListed : isUnread)
    if (filter.isParticipating) found = found.where(participates)
    if (repository) found = found.where('thread.repository_id', '=', repository.id)
    if (since) found = found.where('thread.updated_at', '>', since.getTime())
    if (before) found = found.where('thread.updated_at', '<', before.getTime())
    if (hidden.repositoryIds.length > 0) found = found.where(isVisible(hidden))
    return isNarrowed(filter) ? narrow(found, filter, on) : found
  }

  /** No index serves these filters, so they search only the newest threads. */
  function narrow(found: FoundThreads, { reasons, types, words }: InboxFilter, on: Db): FoundThreads {
    const newest = found.select('thread.id').orderBy('thread.updated_at', 'desc').orderBy('thread.id', 'desc')
    let narrowed = on.selectFrom('thread').where('thread.id', 'in', newest.limit(mostLookedAt))
    if (reasons) narrowed = narrowed.where('thread.reason', 'in', [...reasons])
    if (!types && !words?.length) return narrowed
    let subjects = on
      .selectFrom('thread_subject')
      .leftJoin('issue', 'issue.id', 'thread_subject.issue_id')
      .select('thread_subject.id')
      .where('thread_subject.id', '=', sql.ref<number>('thread.subject_id'))
    if (types)
      subjects = subjects.where((eb) =>
        eb.or(
          types.map((type) =>
            type === 'issue' || type === 'pull'
              ? eb.and([eb('kind', '=', 'issue'), eb('issue.is_pull', '=', type === 'pull' ? 1 : 0)])
              : eb('kind', '=', type),
          ),
        ),
      )
    for (const word of words ?? []) subjects = subjects.where(hasPart(['issue.title', 'thread_subject.title'], word))
    return narrowed.where((eb) => eb.exists(subjects))
  }

  /** Uses the count rows, one set per repository in the inbox. With a time span, the threads themselves are counted. */
  async function count(userId: number, filter: InboxFilter, hidden: Hidden): Promise<number> {
    const { which, repository } = filter
    if (!isCounted(filter, hidden)) return countRows(matching(userId, filter, hidden))
    const states = which === 'all' ? (['unread', 'read'] as const) : ([which] as const)
    const { total } = await db
      .selectFrom('thread_count')
      .select(sql<number>`coalesce(sum(count), 0)`.as('total'))
      .where('user_id', '=', userId)
      .where('state', 'in', [...states])
      .$if(filter.isParticipating, (query) => query.where('is_participating', '=', 1))
      .$if(repository !== undefined, (query) => query.where('repository_id', '=', repository!.id))
      .executeTakeFirstOrThrow()
    return Number(total)
  }

  const sumUnread = prepareQuery(db, ({ userId }: { userId: number }) =>
    db
      .selectFrom('thread_count')
      .select(sql<number>`coalesce(sum(count), 0)`.as('total'))
      .where('user_id', '=', userId)
      .where('state', '=', sql.lit('unread')),
  )

  async function complete(actor: SignedIn, rows: readonly ThreadRow[]): Promise<Thread[]> {
    const ids = [...new Set(rows.map((row) => row.repository_id))]
    const repositories = await visibility.findRepositories(viewerOf(actor)!, ids)
    const byId = new Map(repositories.map((repository) => [repository.id, repository]))
    // A repository deleted between the two queries took its threads with it.
    return rows.flatMap((row) => {
      const repository = byId.get(row.repository_id)
      return repository ? [toThread(row, repository)] : []
    })
  }

  /** Throws if the thread is not the caller's, or if they may no longer see it. */
  async function find({ actor }: Reader, id: number, on: Db = db): Promise<Thread> {
    const row = await selectThreads(on)
      .where('thread.id', '=', id)
      .where('thread.user_id', '=', actor.account.id)
      .where('thread.state', '<>', 'none')
      .executeTakeFirst()
    if (!row) throw notFound()
    const hidden = await visibility.findHidden(actor, row.repository_id)
    const isHidden = hidden.repositoryIds.includes(row.repository_id) && !hidden.openSubjectIds.includes(row.subject_id)
    const [thread] = isHidden ? [] : await complete(actor, [row])
    if (!thread) throw notFound()
    return thread
  }

  /**
   * Waits for activity not yet dispatched. Then reads include everything answered to anybody before, and changes to one's threads
   * or watches apply only to later activity.
   */
  async function waitUntilCurrent({ actor }: Reader): Promise<InboxVersion> {
    const version = await changes.read(actor.account.id)
    if (version.undispatchedId === 0) return version
    await activity.waitUntilDispatched(version.undispatchedId, longestWaitMs)
    return changes.read(actor.account.id)
  }

  /** Changes one thread for its user, and records an inbox change; does neither if nothing differs. */
  async function mark(
    self: SelfAccess,
    id: number,
    change: (trx: Db) => UpdateQueryBuilder<Schema, 'thread', 'thread', UpdateResult>,
  ): Promise<void> {
    await waitUntilCurrent(self)
    await find(self, id)
    const userId = self.actor.account.id
    await store.write(async (trx) => {
      await changes.lock(trx, [userId])
      const changing = change(trx).where('id', '=', id).where('user_id', '=', userId)
      const { numUpdatedRows } = await changing.executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) await changes.note(trx, [userId])
    })
  }

  return {
    find,

    waitUntilCurrent,

    async list({ actor }: Reader, filter: InboxFilter, { offset, limit }: PageRequest): Promise<Page<Thread>> {
      const userId = actor.account.id
      const hidden = await visibility.findHidden(actor, filter.repository?.id)
      const page = matching(userId, filter, hidden)
        .select('thread.id')
        .orderBy('thread.updated_at', 'desc')
        .orderBy('thread.id', 'desc')
        .offset(offset)
        .limit(limit)
      const rows = await selectThreads(db)
        .where('thread.id', 'in', page)
        .orderBy('thread.updated_at', 'desc')
        .orderBy('thread.id', 'desc')
        .execute()
      return { total: await count(userId, filter, hidden), items: await complete(actor, rows) }
    },

    /** The repositories of the matching threads, those with the most threads first. */
    async listRepositories(
      { actor }: Reader,
      filter: InboxFilter,
      { offset, limit }: PageRequest,
    ): Promise<Page<RepositoryShare>> {
      const userId = actor.account.id
      const hidden = await visibility.findHidden(actor)
      const states = filter.which === 'all' ? (['unread', 'read'] as const) : ([filter.which] as const)
      const counted = db
        .selectFrom('thread_count')
        .select(['repository_id', sql<number>`sum(count)`.as('count')])
        .where('user_id', '=', userId)
        .where('state', 'in', [...states])
        .$if(filter.isParticipating, (query) => query.where('is_participating', '=', 1))
        .groupBy('repository_id')
        .having(sql<number>`sum(count)`, '>', 0)
      const found = matching(userId, filter, hidden)
        .select(['repository_id', sql<number>`count(*)`.as('count')])
        .groupBy('repository_id')
      const rows = await db
        .selectFrom((isCounted(filter, hidden) ? counted : (found as unknown as typeof counted)).as('share'))
        .innerJoin('repository', 'repository.id', 'share.repository_id')
        .select(['share.repository_id', 'share.count', sql<number>`count(*) over ()`.as('total')])
        .orderBy('share.count', 'desc')
        .orderBy('share.repository_id')
        .offset(offset)
        .limit(limit)
        .execute()
      const repositories = await visibility.findRepositories(
        viewerOf(actor)!,
        rows.map((row) => row.repository_id),
      )
      const byId = new Map(repositories.map((repository) => [repository.id, repository]))
      const items = rows.flatMap((row) => {
        const repository = byId.get(row.repository_id)
        return repository ? [{ repository, count: Number(row.count) }] : []
      })
      return { total: Number(rows[0]?.total ?? 0), items }
    },

    async countUnread(userId: number): Promise<number> {
      const [row] = await sumUnread({ userId })
      return Number(row!.total)
    },

    /** A done thread stays done. Marking it again within the same second changes nothing. */
    markRead: (self: SelfAccess, id: number): Promise<void> =>
      mark(self, id, (trx) => {
        const now = floorToSecond(clock.now())
        return trx
          .updateTable('thread')
          .set({ last_read_at: now, state: sql<'read'>`case when state = 'unread' then 'read' else state end` })
          .where((eb) =>
            eb.or([eb('state', '=', 'unread'), eb('last_read_at', 'is', null), eb('last_read_at', '<>', now)]),
          )
      }),

    markDone: (self: SelfAccess, id: number): Promise<void> =>
      mark(self, id, (trx) => trx.updateTable('thread').set({ state: 'done' }).where('state', '<>', 'done')),
  }
}

// biome-ignore lint/complexity/noBannedTypes: no column is chosen yet
type FoundThreads = SelectQueryBuilder<Schema, 'thread', {}>

const isNarrowed = ({ reasons, types, words }: InboxFilter): boolean =>
  reasons !== undefined || types !== undefined || Boolean(words?.length)

/** Whether the count rows can answer this filter. */
const isCounted = (filter: InboxFilter, { repositoryIds }: Hidden): boolean =>
  !filter.since && !filter.before && !isNarrowed(filter) && repositoryIds.length === 0
