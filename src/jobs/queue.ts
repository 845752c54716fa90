/**
 * The queue of jobs in its table: each operation is one statement or one transaction. A row's lease says which process
 * holds the job.
 */
import { randomUUID } from 'node:crypto'
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { type Backlog, countUpTo, mostCounted } from '../store/backlog.ts'
import { prepareQuery } from '../store/prepared.ts'
import type { JobTable } from '../store/schema/job-tables.ts'
import type { Db } from '../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../store/store.ts'
import { backOff, pauseAfterDeaths } from './back-off.ts'

export type JobRow = Selectable<JobTable>
export type Progress = { readonly done: number; readonly total: number }
/** The handling of a job whose process ended at each try: see `define`. */
export type GivingUp = {
  readonly isStanding: boolean
  settle(trx: Db, payload: unknown): Promise<unknown>
}
export type NewJob = { kind: string; payload: string; runAt: number; maxTries: number; key: string | undefined }

// The states are literals, never parameters: a partial index serves only a query that names its state.
const isQueued = sql<SqlBool>`state = 'queued'`
const isRunning = sql<SqlBool>`state = 'running'`
const isDone = sql<SqlBool>`state = 'done'`
const isDead = sql<SqlBool>`state = 'dead'`

const channel = 'jobs'
/** A job that ended its process this often is not run again. */
export const maxDeaths = 2
const lostTry = 'The process that ran it ended, or stood still for too long'
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
        conflict
          .columns(['kind', 'key'])
          .where(isQueued)
          .doUpdateSet({
            // A job that pauses because it ended its process stays paused, whatever is added.
            run_at: sql<number>`case when excluded.run_at < job.run_at and job.deaths < ${sql.lit(maxDeaths)}
            then excluded.run_at else job.run_at end`,
          }),
      )
      .returning('id'),
  )

  /** Makes waiting jobs due now: all of a kind, or those with some keys. */
  async function hasten(trx: Db, kind: string, keys?: readonly string[]): Promise<void> {
    const now = clock.now()
    const waiting = trx
      .updateTable('job')
      .set({ run_at: now })
      .where('kind', '=', kind)
      .where(isQueued)
      .where('deaths', '<', maxDeaths)
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
   * Claims the jobs that have been due the longest. A job waits while another with its key runs. A power cut may undo a
   * claim, or the record that a job is done: then it runs again, as after any end of a process.
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

  /** When the kind's next job after the given time is due; without a time, the first of all. */
  const nextDue = async (kind: string, since = -1): Promise<number | undefined> =>
    (await nextOf({ kind, since }))[0]?.run_at

  const held = (trx: Db, { id, lease }: JobRow) =>
    trx.updateTable('job').where('id', '=', id).where('lease', '=', lease).where(isRunning)

  /** Like every operation on a claimed job, answers whether this process still held the lease. */
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
        ...{ state: 'done', finished_at: now, lease: null, lease_until: null, error: null, deaths: 0 },
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
    const rest = { lease: null, lease_until: null, error: null, deaths: 0, ...progressColumns(progress) }
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
    if (!isLast) return putBack(job, { error, deaths: 0, run_at: now + backOff(job.tries, firstPauseMs) })
    if (job.every_ms !== null) return putBack(job, { error, deaths: 0, run_at: now + job.every_ms, tries: 0 })
    return store.write((trx) => noteDead(trx, job, { error, deaths: 0 }))
  }

  async function noteDead(trx: Db, job: JobRow, changes: Partial<JobRow>): Promise<boolean> {
    const { numUpdatedRows } = await held(trx, job)
      .set({ ...changes, state: 'dead', lease: null, lease_until: null, finished_at: clock.now() })
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Returns a job that was interrupted through no fault of its own: the try does not count. */
  const giveBack = (job: JobRow): Promise<boolean> => putBack(job, { run_at: clock.now(), tries: job.tries - 1 })

  /**
   * If another job waits under the same key by now, that one does the work and takes over the count of deaths, and this
   * one is done.
   */
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
      return store.write(async (trx) => {
        const { numUpdatedRows } = await held(trx, job)
          .set({ ...free, state: 'done', finished_at: clock.now(), error: 'A newer job of the same key took over.' })
          .executeTakeFirst()
        if (numUpdatedRows > 0n && changes.deaths) await passOnDeaths(trx, job, changes.deaths, changes.run_at!)
        return numUpdatedRows > 0n
      })
    }
  }

  const passOnDeaths = (trx: Db, { kind, key }: JobRow, deaths: number, runAt: number) =>
    trx
      .updateTable('job')
      .set({ deaths, run_at: sql<number>`case when run_at < ${runAt} then ${runAt} else run_at end` })
      .where('kind', '=', kind)
      .where('key', '=', key)
      .where(isQueued)
      .execute()

  /**
   * Returns jobs of dead processes to the queue: those whose lease had ended by then. A job whose process ended twice
   * in a row is given up, because the job may be the cause. Answers the jobs that were given up.
   */
  async function recover(
    givingUpOf: (kind: string) => GivingUp | undefined,
    endedBy = clock.now(),
  ): Promise<readonly JobRow[]> {
    const givenUp: JobRow[] = []
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
      if (taken && (await noteDeath(taken, givingUpOf(taken.kind)))) givenUp.push(taken)
    }
    return givenUp
  }

  /** Answers whether it was given up or paused: a standing or recurring job can only be paused. */
  async function noteDeath(job: JobRow, giving: GivingUp | undefined): Promise<boolean> {
    const now = clock.now()
    const deaths = job.deaths + 1
    const isPoison = deaths >= maxDeaths
    if (job.every_ms !== null || giving?.isStanding) {
      const error = isPoison ? `${lostTry}, ${deaths} times in a row: it has a pause.` : `${lostTry}.`
      const pauseMs = isPoison
        ? Math.max(pauseAfterDeaths(deaths), job.every_ms ?? 0)
        : backOff(job.tries, firstPauseMs)
      const tries = job.every_ms === null ? job.tries - 1 : 0
      await putBack(job, { error, deaths, tries, run_at: now + pauseMs })
      return isPoison
    }
    if (!isPoison && job.tries < job.max_tries) {
      await putBack(job, { error: `${lostTry}.`, deaths, run_at: now + backOff(job.tries, firstPauseMs) })
      return false
    }
    const error = isPoison ? `${lostTry}, ${deaths} times: it was given up.` : `${lostTry}, at its last try.`
    return store.write(async (trx) => {
      const isOurs = await noteDead(trx, job, { error, deaths })
      if (isOurs) await giving?.settle(trx, JSON.parse(job.payload))
      return isOurs
    })
  }

  /** The process taken for dead is alive and did not stall: its database was away, and the job is not to blame. */
  const absolve = (id: number) =>
    store.write((trx) =>
      trx
        .updateTable('job')
        .set({ deaths: sql<number>`deaths - 1` })
        .where('id', '=', id)
        .where('deaths', '>', 0)
        .execute(),
    )

  /** Takes the lease over, unless another process was quicker or the holder has just renewed it. */
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
   * For each waiting kind, reads the index from the job that has been due the longest: jobs that are not due yet are
   * never read, however many.
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
    absolve,
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
