/**
 * Fetches as durable jobs, one at a time for a repository whatever server runs it. A fetch that was killed starts over,
 * and takes up what has arrived; a mirror's next one is enqueued with the end of this one.
 */
import { randomUUID } from 'node:crypto'
import { type SqlBool, sql } from 'kysely'
import { backOff } from '../../jobs/back-off.ts'
import type { JobContext, Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Fetching } from './fetching.ts'
import { cancelled, isCancelled, refuseSource, sourceRefused } from './refusal.ts'
import type { SourceRow } from './repository-source.ts'
import type { SourceLimits } from './source-limits.ts'
import type { SourceRights } from './source-rights.ts'

const fetchKind = 'forge.source-fetch'
const sweepKind = 'forge.source-sweep'
const fetchTries = 5
/** A token needs no name beside it; public platforms take this one. */
const tokenName = 'x-access-token'
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** Jobs whose person has enough fetches under way wait for so long. */
const crowdedMs = 5_000
/** How often the bytes received so far are written. */
const shownMs = 2_000

type Payload = { readonly repositoryId: number }

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  limits: SourceLimits
  rights: SourceRights
  fetching: Fetching
}

export type SourceJob = ReturnType<typeof defineSourceJob>

export function defineSourceJob({ store, clock, log, jobs, limits, rights, fetching }: Needs) {
  /** How many fetches of each person this server runs. */
  const underWay = new Map<number, number>()

  const enqueue = (trx: Db, repositoryId: number, runAt: number): Promise<number> =>
    jobs.enqueue(trx, fetchKind, { repositoryId }, { key: String(repositoryId), runAt, maxTries: fetchTries })

  const find = (repositoryId: number): Promise<SourceRow | undefined> =>
    store.db.selectFrom('repository_source').selectAll().where('repository_id', '=', repositoryId).executeTakeFirst()

  const begin = (repositoryId: number, run: string): Promise<SourceRow | undefined> =>
    store.write((trx) =>
      trx
        .updateTable('repository_source')
        .set({ state: 'fetching', run, received_bytes: 0, started_at: clock.now(), updated_at: clock.now() })
        .where('repository_id', '=', repositoryId)
        .where('next_at', '<=', clock.now())
        .returningAll()
        .executeTakeFirst(),
    )

  /** Ends the run, if it is still the current one. `isDue`: somebody has asked for another fetch meanwhile. */
  async function endWithin(trx: Db, row: SourceRow, run: string | undefined, change: Partial<SourceRow>) {
    const { repository_id: id } = row
    const nextAt = change.next_at ?? null
    const ended = trx
      .updateTable('repository_source')
      .set({
        ...change,
        run: null,
        // Somebody may have asked for another fetch since this one began.
        next_at: sql<number | null>`case when next_at > started_at then next_at else ${nextAt} end`,
        updated_at: clock.now(),
      })
      .where('repository_id', '=', id)
    const after = await (run === undefined ? ended : ended.where('run', '=', run)).returningAll().executeTakeFirst()
    if (after && after.next_at !== null) await enqueue(trx, id, after.next_at)
  }

  /** A mirror that fails waits longer each time, up to a day; its interval is the least. */
  function planAfterFailure({ interval_ms: every, failure_count: count }: SourceRow): number | null {
    if (every === null) return null
    return clock.now() + Math.max(every, Math.min(dayMs, backOff(count + 1, every)))
  }

  const failWithin = (trx: Db, row: SourceRow, run: string | undefined, failure: string) =>
    endWithin(trx, row, run, {
      state: 'failed',
      failure,
      failure_count: row.failure_count + 1,
      next_at: planAfterFailure(row),
    })

  /** Writes the bytes received so far now and then; also ends the fetch if it was cancelled. */
  function showProgress({ repository_id: id }: SourceRow, run: string, cancel: () => void) {
    let bytes = 0
    const show = () =>
      store
        .write(
          (trx) =>
            trx
              .updateTable('repository_source')
              .set({ received_bytes: bytes })
              .where('repository_id', '=', id)
              .where('run', '=', run)
              .executeTakeFirst(),
          { mayBeLost: true },
        )
        .then(({ numUpdatedRows }) => {
          if (numUpdatedRows === 0n) cancel()
        })
        .catch((error) => log.warn({ err: error, repository: id }, 'the progress of a fetch could not be written'))
    const timer = setInterval(show, shownMs).unref()
    return {
      received(count: number) {
        bytes = count
      },
      stop: () => clearInterval(timer),
      bytes: () => bytes,
    }
  }

  async function fetchOnce(row: SourceRow, run: string, context: JobContext): Promise<void> {
    const cancelling = new AbortController()
    const overdue = AbortSignal.timeout(limits.minutes * minuteMs)
    const signal = AbortSignal.any([context.signal, cancelling.signal, overdue])
    const progress = showProgress(row, run, () => cancelling.abort(cancelled()))
    const enter = async () => {
      const now = await find(row.repository_id)
      if (now?.run !== run) throw cancelled()
      return (await rights.enter(row)).access
    }
    try {
      const { requester } = await rights.enter(row)
      const { username, password, url, interval_ms } = row
      const fetched = await fetching.run({
        address: { url, credentials: password === null ? undefined : { username: username ?? tokenName, password } },
        requester,
        isMirror: interval_ms !== null,
        signal,
        enter,
        received: progress.received,
      })
      const { branchCount, tagCount, skipped } = fetched
      const counts = { branch_count: branchCount, tag_count: tagCount, skipped_refs: JSON.stringify(skipped) }
      const done = { state: 'complete' as const, failure: null, failure_count: 0, fetched_at: clock.now() }
      // The credentials of an import that is over are needed no more.
      const rest =
        interval_ms === null
          ? { next_at: null, username: null, password: null }
          : { next_at: clock.now() + interval_ms }
      await store.write((trx) =>
        endWithin(trx, row, run, { ...counts, ...done, ...rest, received_bytes: progress.bytes() }),
      )
    } catch (error) {
      if (overdue.aborted && !context.signal.aborted)
        throw refuseSource(`The fetch took longer than ${limits.minutes} minutes: try again when the source is faster.`)
      throw error
    } finally {
      progress.stop()
    }
  }

  /** The server's own faults are tried again a few times; of them whoever waits is told that they are the server's. */
  async function settleFailure(row: SourceRow, run: string, thrown: unknown, context: JobContext): Promise<void> {
    if (context.signal.aborted || isCancelled(thrown)) throw thrown
    const error = explainOutage(thrown)
    const isRefused = error instanceof Failure && error.code === sourceRefused
    if (!isRefused && !context.isLastTry) throw thrown
    if (!isRefused) log.warn({ err: error, repository: row.repository_id }, 'a fetch from a source failed')
    const failure = error instanceof Failure ? error.message : ownFault
    await store.write((trx) => failWithin(trx, row, run, failure))
  }

  async function runJob({ repositoryId }: Payload, context: JobContext): Promise<void> {
    const known = await find(repositoryId)
    if (!known || known.next_at === null) return
    const { requester_id: requesterId } = known
    const count = underWay.get(requesterId) ?? 0
    if (known.next_at > clock.now() || count >= limits.atOncePerPerson) {
      const runAt = Math.max(known.next_at, clock.now() + (count >= limits.atOncePerPerson ? crowdedMs : 0))
      await store.write((trx) => enqueue(trx, repositoryId, runAt))
      return
    }
    underWay.set(requesterId, count + 1)
    try {
      const run = randomUUID()
      const row = await begin(repositoryId, run)
      if (row) await fetchOnce(row, run, context).catch((error) => settleFailure(row, run, error, context))
    } catch (error) {
      if (!isCancelled(error)) throw error
    } finally {
      const left = (underWay.get(requesterId) ?? 1) - 1
      if (left > 0) underWay.set(requesterId, left)
      else underWay.delete(requesterId)
    }
  }

  /** The server died twice during this fetch: its source may be the cause. */
  async function giveUp(trx: Db, { repositoryId }: Payload): Promise<void> {
    const query = trx.selectFrom('repository_source').selectAll().where('repository_id', '=', repositoryId)
    const row = await query.executeTakeFirst()
    if (row?.state === 'fetching') await failWithin(trx, row, undefined, givenUp)
  }

  jobs.define<Payload>(fetchKind, runJob, { concurrency: limits.atOnce, whenGivenUp: giveUp })

  /** Fetches whose job is gone, after hours of an outage, say, are enqueued again. */
  async function takeUpForgotten(): Promise<void> {
    const rows = await store.db
      .selectFrom('repository_source')
      .select(['repository_id', 'next_at'])
      .where(sql<SqlBool>`next_at is not null`)
      .where('next_at', '<', clock.now() - minuteMs)
      .orderBy('next_at')
      .limit(200)
      .execute()
    if (rows.length === 0) return
    await store.write(async (trx) => {
      for (const { repository_id, next_at } of rows) await enqueue(trx, repository_id, next_at!)
    })
  }

  jobs.define(sweepKind, takeUpForgotten)
  jobs.every(sweepKind, minuteMs)

  return { enqueue }
}

const givenUp =
  'The server ended, or stood still, each time it fetched from this source, so the fetch was given up: tell its admin.'
/** Explained only in the log. */
const ownFault = 'The fetch failed for a reason of the server’s own: tell its admin.'
