/** The queue of jobs in its table: each act is one statement or one transaction. A row's lease says which process holds the job. */
import { randomUUID } from 'node:crypto'
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { type Backlog, countUpTo, mostCounted } from '../store/backlog.ts'
import { prepareQuery } from '../store/prepared.ts'
import type { JobTable } from '../store/schema/jobs.ts'
import type { Db } from '../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../store/store.ts'
import { backOff } from './back-off.ts'

export type JobRow = Selectable<JobTable>
export type Progress = { readonly done: number; readonly total: number }
export type NewJob = { kind: string; payload: string; runAt: number; maxTries: number; key: string | undefined }

// The states are literals, never parameters: a partial index serves only a query that names its state.
const isQueued = sql<SqlBool>`state = 'queued'`
const isRunning = sql<SqlBool>`state = 'running'`
const isDone = sql<SqlBool>`state = 'done'`
const isDead = sql<SqlBool>`state = 'dead'`

const channel = 'jobs'
const batch = 500

type Needs = { store: Store; clock: Clock; leaseMs: number; firstPauseMs?: number }

export function makeQueue({ store, clock, leaseMs, firstPauseMs }: Needs) {
  const lockingOnly = store.engine === 'postgres'

  /**
   * A job that waits under the same key stands for this one too. Its row is updated, so that nobody can claim it before
   * this transaction's own writes are visible to it.
   */
  async function add(trx: Db, { kind, payload, runAt, maxTries, key }: NewJob): Promise<number> {
    const [row] = await insert({ now: clock.now(), kind, payload, runAt, maxTries, key: key ?? null }, trx)
    await store.notify(trx, channel, kind)
    return row!.id
  }

  type Inserted = { now: number; kind: string; payload: string; runAt: number; maxTries: number; key: string | null }
  const insert = prepareQuery(store.db, ({ now, kind, payload, runAt, maxTries, key }: Inserted) =>
    store.db
      .insertInto('job')
      .values({ ...blank(now), kind, payload, run_at: runAt, max_tries: maxTries, key })
      .onConflict((conflict) =>
        conflict.columns(['kind', 'key']).where(isQueued).doUpdateSet({
          run_at: sql<number>`case when excluded.run_at < job.run_at then excluded.run_at else job.run_at end`,
        }),
      )
      .returning('id'),
  )

  /** Those that wait for their time have it now: all of a kind, or those of some keys. */
  async function hasten(trx: Db, kind: string, keys?: readonly string[]): Promise<void> {
    const now = clock.now()
    const waiting = trx.updateTable('job').set({ run_at: now }).where('kind', '=', kind).where(isQueued)
    await (keys ? waiting.where('key', 'in', keys).where('run_at', '>', now) : waiting).execute()
    await store.notify(trx, channel, kind)
  }

  /** A recurring job is one row that is never deleted, so it runs one at a time whatever process runs it. */
  async function addRecurring(kind: string, everyMs: number): Promise<void> {
    const now = clock.now()
    await store.write(async (trx) => {
      await trx
        .insertInto('job')
        .values({ ...blank(now), kind, payload: '{}', run_at: now, max_tries: 3, key: null, every_ms: everyMs })
        .onConflict((conflict) =>
          conflict
            .column('kind')
            .where(sql<SqlBool>`every_ms is not null`)
            .doUpdateSet({
              every_ms: everyMs,
              run_at: sql<number>`case when job.run_at > ${now + everyMs} then ${now + everyMs} else job.run_at end`,
            }),
        )
        .execute()
      await store.notify(trx, channel, kind)
    })
  }

  /**
   * Claims those that have been due the longest. A job waits while another of its key runs. A power cut may take a claim
   * back, and the note that a job is done: then it is run again, as after any end of a process.
   */
  async function claim(kind: string, count: number, now: number): Promise<JobRow[]> {
    return store.write((trx) => claimDue({ kind, count, now, leaseUntil: now + leaseMs, lease: randomUUID() }, trx), {
      mayBeLost: true,
    })
  }

  type Claimed = { kind: string; now: number; count: number; lease: string; leaseUntil: number }
  const claimDue = prepareQuery(store.db, ({ kind, count, now, lease, leaseUntil }: Claimed) =>
    store.db
      .with('due', (db) =>
        db
          .selectFrom('job')
          .select('id')
          .where('kind', '=', kind)
          .where(isQueued)
          .where('run_at', '<=', now)
          .where(
            sql<SqlBool>`(key is null or not exists (select 1 from job as other
                where other.kind = job.kind and other.key = job.key and other.state = 'running'))`,
          )
          .orderBy('run_at')
          .orderBy('id')
          .limit(count)
          .$if(lockingOnly, (query) => query.forUpdate().skipLocked()),
      )
      .updateTable('job')
      .set({
        state: 'running',
        tries: sql<number>`tries + 1`,
        lease,
        lease_until: leaseUntil,
        progress_done: null,
        progress_total: null,
      })
      .where('id', 'in', (db) => db.selectFrom('due').select('due.id'))
      .returningAll(),
  )

  const nextOf = prepareQuery(store.db, ({ kind, since }: { kind: string; since: number }) =>
    store.db
      .selectFrom('job')
      .select('run_at')
      .where('kind', '=', kind)
      .where(isQueued)
      .where('run_at', '>', since)
      .orderBy('run_at')
      .limit(1),
  )

  /** When the next job of the kind falls due, of those after the given time; the first of all where none is given. */
  const nextDue = async (kind: string, since = -1): Promise<number | undefined> =>
    (await nextOf({ kind, since }))[0]?.run_at

  const held = (trx: Db, { id, lease }: JobRow) =>
    trx.updateTable('job').where('id', '=', id).where('lease', '=', lease).where(isRunning)

  /** Like every act on a claimed job, it answers whether this process still held the lease. */
  async function renew(job: JobRow, progress: Progress | undefined): Promise<boolean> {
    const { numUpdatedRows } = await store.write((trx) =>
      held(trx, job)
        .set({ lease_until: clock.now() + leaseMs, ...progressColumns(progress) })
        .executeTakeFirst(),
    )
    return numUpdatedRows > 0n
  }

  type Finished = { id: number; lease: string | null; now: number; done: number | null; total: number | null }
  const noteDone = prepareQuery(store.db, ({ id, lease, now, done, total }: Finished) =>
    store.db
      .updateTable('job')
      .set({
        ...{ state: 'done', finished_at: now, lease: null, lease_until: null, error: null },
        progress_done: sql<number | null>`coalesce(${done}, progress_done)`,
        progress_total: sql<number | null>`coalesce(${total}, progress_total)`,
      })
      .where('id', '=', id)
      .where('lease', '=', lease)
      .where(isRunning)
      .returning('id'),
  )

  async function finish(job: JobRow, progress: Progress | undefined): Promise<boolean> {
    const now = clock.now()
    const { id, lease, every_ms: everyMs } = job
    const mayBeLost = true
    if (everyMs === null) {
      const ended = { id, lease, now, done: progress?.done ?? null, total: progress?.total ?? null }
      return (await store.write((trx) => noteDone(ended, trx), { mayBeLost })).length > 0
    }
    const rest = { lease: null, lease_until: null, error: null, ...progressColumns(progress) }
    const { numUpdatedRows } = await store.write(
      (trx) =>
        held(trx, job)
          .set({ ...rest, state: 'queued', run_at: now + everyMs, tries: 0 })
          .executeTakeFirst(),
      { mayBeLost },
    )
    return numUpdatedRows > 0n
  }

  /** After the last try a job is dead; a recurring one waits for its next run. */
  async function fail(job: JobRow, error: string, isLast = job.tries >= job.max_tries): Promise<boolean> {
    const now = clock.now()
    if (!isLast) return putBack(job, { error, run_at: now + backOff(job.tries, firstPauseMs) })
    if (job.every_ms !== null) return putBack(job, { error, run_at: now + job.every_ms, tries: 0 })
    const { numUpdatedRows } = await store.write((trx) =>
      held(trx, job).set({ state: 'dead', error, lease: null, lease_until: null, finished_at: now }).executeTakeFirst(),
    )
    return numUpdatedRows > 0n
  }

  /** Returns a job that was interrupted through no fault of its own: the try does not count. */
  const giveBack = (job: JobRow): Promise<boolean> => putBack(job, { run_at: clock.now(), tries: job.tries - 1 })

  /** Where another job waits under the same key by now, that one does the work and this one is done. */
  async function putBack(job: JobRow, changes: Partial<JobRow>): Promise<boolean> {
    const free = { lease: null, lease_until: null }
    try {
      return await store.write(async (trx) => {
        const { numUpdatedRows } = await held(trx, job)
          .set({ ...changes, ...free, state: 'queued' })
          .executeTakeFirst()
        await store.notify(trx, channel, job.kind)
        return numUpdatedRows > 0n
      })
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      const { numUpdatedRows } = await store.write((trx) =>
        held(trx, job)
          .set({ ...free, state: 'done', finished_at: clock.now(), error: 'A newer job of the same key took over.' })
          .executeTakeFirst(),
      )
      return numUpdatedRows > 0n
    }
  }

  /**
   * Returns jobs whose process is gone to the queue: those whose lease ended by then. A job that ends its process at every
   * try is dead in the end.
   */
  async function recover(endedBy = clock.now()): Promise<void> {
    const lost = await store.db
      .selectFrom('job')
      .selectAll()
      .where(isRunning)
      .where('lease_until', '<=', endedBy)
      .orderBy('lease_until')
      .limit(batch)
      .execute()
    for (const job of lost) {
      const taken = await takeOver(job, endedBy)
      if (taken) await fail(taken, 'The process that ran it ended, or stood still for too long.')
    }
  }

  /** Takes the lease over, unless another process was quicker, or the holder has just renewed it. */
  async function takeOver(job: JobRow, endedBy: number): Promise<JobRow | undefined> {
    const lease = randomUUID()
    const { numUpdatedRows } = await store.write((trx) =>
      held(trx, job).where('lease_until', '<=', endedBy).set({ lease }).executeTakeFirst(),
    )
    return numUpdatedRows > 0n ? { ...job, lease } : undefined
  }

  async function prune(doneBefore: number, deadBefore: number): Promise<void> {
    for (const [isOver, before] of [
      [isDone, doneBefore],
      [isDead, deadBefore],
    ] as const) {
      for (let deleted = BigInt(batch); deleted >= batch; ) {
        const { numDeletedRows } = await store.write((trx) =>
          trx
            .deleteFrom('job')
            .where('id', 'in', (db) =>
              db
                .selectFrom('job')
                .select('id')
                .where(isOver)
                .where('finished_at', '<', before)
                .orderBy('finished_at')
                .limit(batch),
            )
            .executeTakeFirst(),
        )
        deleted = numDeletedRows
      }
    }
  }

  /**
   * Of each kind that waits, the index is read from the job that has been due the longest on: however many wait for their
   * time, none of these is read.
   */
  async function readBacklog(): Promise<{ due: Backlog; dead: number }> {
    const due = sql`from job where state = 'queued' and kind = kinds.kind and run_at <= ${clock.now()}`
    const { rows } = await sql<{ count: number; since: number | null }>`
      with recursive kinds (kind) as (
        select min(kind) from job where state = 'queued'
        union all
        select (select min(kind) from job where state = 'queued' and kind > kinds.kind) from kinds where kind is not null
      )
      select
        (select count(*) from (select 1 ${due} limit ${sql.lit(mostCounted)}) as counted) as count,
        (select min(run_at) ${due}) as since
      from kinds where kind is not null`.execute(store.db)
    const count = rows.reduce((sum, row) => sum + Number(row.count), 0)
    const first = Math.min(...rows.flatMap(({ since }) => (since === null ? [] : Number(since))))
    const dead = await countUpTo(store.db, sql`select 1 from job where state = 'dead'`)
    return { due: { count: Math.min(count, mostCounted), since: count > 0 ? first : undefined }, dead }
  }

  const find = (id: number): Promise<JobRow | undefined> =>
    store.db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst()

  const listen = (wake: (kind: string | undefined) => void): (() => void) => store.listen(channel, wake)

  return {
    add,
    hasten,
    addRecurring,
    claim,
    nextDue,
    renew,
    finish,
    fail,
    giveBack,
    recover,
    prune,
    find,
    listen,
    readBacklog,
  }
}

export type Queue = ReturnType<typeof makeQueue>

const blank = (now: number) => ({ state: 'queued' as const, tries: 0, created_at: now })

const progressColumns = (progress: Progress | undefined) =>
  progress ? { progress_done: progress.done, progress_total: progress.total } : {}
