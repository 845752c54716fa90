/**
 * Activity dispatch: passes activity rows to their consumers in order, and marks each row as dispatched in the same write. A
 * row that keeps failing is skipped, so that it never blocks the others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawBuilder, Selectable } from 'kysely'
import { GivenUp, type JobContext, type Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { explainOutage, isDatabaseAway } from '../../lib/outages/outage.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { ActivityTable } from '../../store/schema/forge-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'

export type ActivityRow = Selectable<ActivityTable>

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  /** The newest activity not yet dispatched that readers wait for. */
  newestUndispatched: RawBuilder<number | null>
  dispatchRow(trx: Db, row: ActivityRow): Promise<void>
}

const dispatchKind = 'forge.activity'
/** Rows dispatched in one write. */
const portion = 100
/** Acts in quick succession are dispatched together, at most once per this interval. Readers do not wait for it. */
const togetherMs = 100
/** The longest that a change to a hook waits for earlier activity to be dispatched. */
const hooksWaitMs = 2_000
/** The job's tries for one failing row, with growing pauses: about ten seconds when nothing else happens. */
const mostTries = 5
/** A cut connection is replaced within a second (five tries). A database that is away is not waited for. */
const firstPauseMs = 20
const longestPauseMs = 600

const withActivityLock = { locks: ['activity'] }

/** A row whose consumers fail for a reason other than an outage. */
class DispatchError extends Error {
  readonly id: number

  constructor({ id, kind }: ActivityRow, cause: unknown) {
    super(`Activity ${id} (${kind}) can't be dispatched: ${cause instanceof Error ? cause.message : cause}`, { cause })
    this.id = id
  }
}

export function makeActivityDispatch({ store, clock, jobs, newestUndispatched, dispatchRow }: Needs) {
  const { db } = store
  const undispatched = prepareQuery(db, ({ count }: { count: number }) =>
    db.selectFrom('activity').selectAll().where('told_at', 'is', null).orderBy('id').limit(count),
  )
  const newestAwaited = prepareQuery(db, (_: object) => db.selectNoFrom(newestUndispatched.as('id')))
  const newestOfAll = prepareQuery(db, (_: object) =>
    db.selectFrom('activity').select('id').where('told_at', 'is', null).orderBy('id', 'desc').limit(1),
  )
  const markDispatched = prepareQuery(db, ({ id, data, at }: { id: number; data: string; at: number }) =>
    db.updateTable('activity').set({ told_at: at, data }).where('id', '=', id).returning('id'),
  )

  /** In the order of recording. Answers whether there may be more. */
  async function dispatchPortion(): Promise<boolean> {
    try {
      return await dispatchFirst(portion)
    } catch (error) {
      if (isOutage(error)) throw error
    }
    // One row failed, and the whole write was undone: dispatches the rows before it one by one.
    for (let i = 0; i < portion; i++) if (!(await dispatchFirst(1))) return false
    return true
  }

  const dispatchFirst = (count: number): Promise<boolean> =>
    store.write(async (trx) => {
      const rows = await undispatched({ count }, trx)
      for (const row of rows) {
        await dispatchRow(trx, row).catch((error) => {
          throw isOutage(error) ? error : new DispatchError(row, error)
        })
      }
      for (const { id, data } of rows)
        await markDispatched({ id, data: withoutRemovedText(data), at: clock.now() }, trx)
      return rows.length === count
    }, withActivityLock)

  /** The row at which this server's job failed last, and how many times. */
  let stuck = { id: 0, tries: 0 }

  let dispatchedAt = Number.NEGATIVE_INFINITY

  /** Nothing after a failing row is dispatched until that row is dispatched or skipped: the order is kept. */
  async function dispatchAll(_: unknown, { signal }: JobContext): Promise<void> {
    const waitMs = dispatchedAt + togetherMs - performance.now()
    if (waitMs > 0) await sleep(waitMs, undefined, { signal })
    dispatchedAt = performance.now()
    try {
      while (await dispatchPortion());
    } catch (error) {
      if (!(error instanceof DispatchError)) throw error
      stuck = { id: error.id, tries: error.id === stuck.id ? stuck.tries + 1 : 1 }
      if (stuck.tries < mostTries || !(await skipRow(error.id).catch(unlessOutage))) throw error
      // This job ends as dead, which is counted and looked into. Another job dispatches the rest.
      throw new GivenUp(`${error.message} (tried ${mostTries} times, and left behind)`, { cause: error.cause })
    }
  }

  /**
   * Skips a row only if the next row can be dispatched, and does so in the same write. If the next row fails as well,
   * the consumer is broken, and all rows wait for its repair. Answers false if a reader dispatched the row meanwhile.
   */
  const skipRow = (id: number): Promise<boolean> =>
    store.write(async (trx) => {
      const [first, next] = await undispatched({ count: 2 }, trx)
      if (first?.id !== id || !next) return false
      await dispatchRow(trx, next)
      await markDispatched({ id: next.id, data: withoutRemovedText(next.data), at: clock.now() }, trx)
      await markDispatched({ id, data: '{}', at: clock.now() }, trx)
      await enqueue(trx)
      return true
    }, withActivityLock)

  /** A queued job that has not started will also dispatch what is recorded now. */
  const enqueue = (trx: Db): Promise<number> => jobs.enqueue(trx, dispatchKind, null, { key: 'all' })

  let running: Promise<boolean> | undefined
  /** Callers that ask while a portion is being dispatched share that run. */
  const dispatchShared = (): Promise<boolean> => {
    running ??= dispatchPortion().finally(() => {
      running = undefined
    })
    return running
  }

  /** Dispatches everything up to this row without waiting for the job's turn. */
  async function dispatchUpTo(id: number): Promise<void> {
    const isLeft = async () =>
      (await store.db
        .selectFrom('activity')
        .select('id')
        .where('told_at', 'is', null)
        .where('id', '<=', id)
        .limit(1)
        .executeTakeFirst()) !== undefined
    while (await isLeft()) await dispatchShared()
  }

  /**
   * For readers who must see what was answered before they asked: waits until this activity and all before it are
   * dispatched, at most `withinMs`. If a consumer fails, the rows are left to the job; a cut connection is tried again.
   */
  async function waitUntilDispatched(id: number, withinMs: number): Promise<void> {
    const waiting = new AbortController()
    const bound = sleep(withinMs, undefined, { signal: waiting.signal }).catch(() => {})
    await Promise.race([dispatchOverCuts(id, waiting.signal), bound])
    waiting.abort()
  }

  async function dispatchOverCuts(id: number, signal: AbortSignal, pauseMs = firstPauseMs): Promise<void> {
    try {
      await dispatchUpTo(id)
    } catch (error) {
      if (!isDatabaseAway(error) || pauseMs > longestPauseMs) return
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) await dispatchOverCuts(id, signal, 3 * pauseMs)
    }
  }

  jobs.define(dispatchKind, dispatchAll, { isStanding: true })

  return {
    enqueue,
    waitUntilDispatched: waitUntilDispatched,

    /** The same for everything recorded so far that readers see. */
    async waitUntilAllDispatched(withinMs: number): Promise<void> {
      const [row] = await newestAwaited({})
      const id = row?.id ?? null
      if (id !== null) await waitUntilDispatched(Number(id), withinMs)
    },

    /** The same for hooks: earlier activity reaches a hook as it was before its change. */
    async waitUntilHooksDispatched(): Promise<void> {
      const [row] = await newestOfAll({})
      if (row) await waitUntilDispatched(row.id, hooksWaitMs)
    },
  }
}

/** Removes the words that an edit or a deletion took away: they are kept only until dispatch. */
export function withoutRemovedText(data: string): string {
  if (!data.includes('"changes":') && !data.includes('"gone":')) return data
  const { changes: _changes, gone: _gone, ...rest } = JSON.parse(data)
  return JSON.stringify(rest)
}

const isOutage = (error: unknown): boolean => explainOutage(error) !== error

function unlessOutage(error: unknown): false {
  if (isOutage(error)) throw error
  return false
}
