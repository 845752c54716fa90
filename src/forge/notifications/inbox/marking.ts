/** Marks all threads, or those of a repository, as read: a few at once, many by a job that survives a restart. */
import { sql } from 'kysely'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Repository } from '../../access/repository.ts'
import type { SelfAccess } from '../../access/self-access.ts'
import { listLackingSignOn } from '../../access/sign-on.ts'
import { notFound } from '../../failures.ts'
import type { Reader } from './inbox.ts'
import { type InboxChanges, isUnread } from './inbox-changes.ts'

export type Mark = {
  readonly id: number
  readonly total: number
  readonly marked: number
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export type MarkRequest = {
  /** Threads updated after this time stay unread; undefined marks all. */
  readonly upTo?: Date | undefined
  readonly repository?: Repository | undefined
}

const jobKind = 'forge.notification-marking'
/** Threads marked per write. */
const batchSize = 500
const keptMs = 7 * 24 * 60 * 60 * 1000

/** The threads to mark: of one user, optionally of one repository, up to a time and an inbox change. */
type Span = {
  readonly userId: number
  readonly repositoryId: number | null
  readonly upTo: number
  readonly upToChange: number
  readonly isOpen: boolean
  /** Organisations whose single sign-on the caller lacks: their private threads are hidden, and stay unread. */
  readonly lacking: readonly number[]
}

type Needs = { store: Store; clock: Clock; jobs: Jobs; changes: InboxChanges; mostAtOnce: number }

export type Marking = ReturnType<typeof makeMarking>

export function makeMarking({ store, clock, jobs, changes, mostAtOnce }: Needs) {
  const { db } = store

  const unreadOf = (on: Db, { userId, repositoryId, upTo, upToChange, isOpen, lacking }: Span) =>
    on
      .selectFrom('thread')
      .where('thread.user_id', '=', userId)
      .where(isUnread)
      .where('thread.change', '<=', upToChange)
      .$if(repositoryId !== null, (query) => query.where('thread.repository_id', '=', repositoryId))
      .$if(!isOpen, (query) => query.where('thread.updated_at', '<=', upTo))
      .$if(lacking.length > 0, (query) =>
        query.where('thread.repository_id', 'not in', (eb) =>
          eb
            .selectFrom('repository')
            .select('repository.id')
            .where('owner_id', 'in', [...lacking])
            .where('is_private', '=', 1),
        ),
      )

  /** Answers how many threads it marked. */
  async function markSome(trx: Db, span: Span, limit: number): Promise<number> {
    await changes.lock(trx, [span.userId])
    const rows = await unreadOf(trx, span)
      .select('thread.id')
      .orderBy('thread.updated_at')
      .orderBy('thread.id')
      .limit(limit)
      .execute()
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    await trx.updateTable('thread').set({ state: 'read', last_read_at: span.upTo }).where('id', 'in', ids).execute()
    await changes.note(trx, [span.userId])
    return ids.length
  }

  /** Stops counting at `most`. */
  async function countUpTo(trx: Db, span: Span, most: number): Promise<number> {
    const found = unreadOf(trx, span).select('thread.id').limit(most)
    const { total } = await trx
      .selectFrom(found.as('found'))
      .select(sql<number>`count(*)`.as('total'))
      .executeTakeFirstOrThrow()
    return Number(total)
  }

  const toMark = (row: {
    id: number
    total: number
    marked: number
    created_at: number
    finished_at: number | null
  }): Mark => ({
    id: row.id,
    total: row.total,
    marked: row.marked,
    createdAt: new Date(row.created_at),
    finishedAt: row.finished_at === null ? null : new Date(row.finished_at),
  })

  /** A batch and its progress are saved in one write, so a server that dies in between leaves nothing half done. */
  const markBatch = (markId: number, lacking: readonly number[]): Promise<boolean> =>
    store.write(async (trx) => {
      const row = await trx.selectFrom('inbox_mark').selectAll().where('id', '=', markId).executeTakeFirst()
      if (!row || row.finished_at !== null) return false
      const span = { userId: row.user_id, repositoryId: row.repository_id, upTo: row.up_to, isOpen: row.is_open === 1 }
      const marked = await markSome(trx, { ...span, upToChange: row.up_to_change, lacking }, batchSize)
      const isLast = marked < batchSize
      await trx
        .updateTable('inbox_mark')
        .set({ marked: row.marked + marked, finished_at: isLast ? clock.now() : null })
        .where('id', '=', markId)
        .execute()
      return !isLast
    })

  jobs.define<{ markId: number; lacking?: readonly number[] }>(
    jobKind,
    async ({ markId, lacking = [] }, { signal }) => {
      while (await markBatch(markId, lacking)) signal.throwIfAborted()
    },
  )

  return {
    /** Undefined if all are marked; otherwise the rest is marked in the background. */
    async markAll({ actor }: Reader, { upTo, repository }: MarkRequest): Promise<Mark | undefined> {
      const userId = actor.account.id
      return store.write(async (trx) => {
        await changes.lock(trx, [userId])
        const inbox = await trx.selectFrom('inbox').select('change').where('user_id', '=', userId).executeTakeFirst()
        if (!inbox) return undefined
        const span: Span = {
          userId,
          repositoryId: repository?.id ?? null,
          upTo: upTo?.getTime() ?? clock.now(),
          upToChange: inbox.change,
          isOpen: upTo === undefined,
          lacking: listLackingSignOn(actor),
        }
        if ((await countUpTo(trx, span, mostAtOnce + 1)) <= mostAtOnce) {
          await markSome(trx, span, mostAtOnce)
          return undefined
        }
        return beginMark(trx, span)
      })
    },

    async find({ actor }: SelfAccess, id: number): Promise<Mark> {
      const row = await db
        .selectFrom('inbox_mark')
        .selectAll()
        .where('id', '=', id)
        .where('user_id', '=', actor.account.id)
        .executeTakeFirst()
      if (!row) throw notFound()
      return toMark(row)
    },
  }

  async function beginMark(trx: Db, span: Span): Promise<Mark> {
    const { userId } = span
    const now = clock.now()
    await trx
      .deleteFrom('inbox_mark')
      .where('user_id', '=', userId)
      .where('finished_at', '<', now - keptMs)
      .execute()
    const row = await trx
      .insertInto('inbox_mark')
      .values({
        user_id: userId,
        repository_id: span.repositoryId,
        up_to: span.upTo,
        up_to_change: span.upToChange,
        is_open: span.isOpen ? 1 : 0,
        total: await countUpTo(trx, span, Number.MAX_SAFE_INTEGER),
        marked: 0,
        created_at: now,
        finished_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await jobs.enqueue(trx, jobKind, { markId: row.id, lacking: span.lacking })
    return toMark(row)
  }
}
