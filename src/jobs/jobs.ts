/**
 * Jobs: durable background work. A job is enqueued in the transaction of the act that causes it, and run by any process
 * that defines its kind.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Backlog } from '../store/backlog.ts'
import type { JobState } from '../store/schema/job-tables.ts'
import type { Db } from '../store/schema/schema.ts'
import type { Store } from '../store/store.ts'
import { backOff } from './back-off.ts'
import { type GivingUp, type JobRow, makeQueue, type Progress } from './queue.ts'
import { type JobHandler, type RunningJob, runJob } from './running-job.ts'

export { GivenUp, type JobContext, type JobHandler } from './running-job.ts'

export type EnqueueOptions = {
  readonly runAt?: number
  readonly maxTries?: number
  /** Per kind and key, at most one job waits and one runs: while one waits none is added, and its id is answered. */
  readonly key?: string
}

export type DefineOptions<T> = {
  /** The number that run at a time (default 1). */
  readonly concurrency?: number
  /**
   * A job of this kind works through a queue of its own, which nobody else would do if it were dead: if its process
   * ends at each try, it pauses longer each time, and is never given up.
   */
  readonly isStanding?: boolean
  /**
   * Called when a job is given up because its process ended at each try, so that its own handler can't report it; in
   * the same transaction. Must not touch what the job worked on, which may be what ended the process.
   */
  whenGivenUp?(trx: Db, payload: T): Promise<unknown>
}

export type Job = {
  readonly id: number
  readonly kind: string
  readonly state: JobState
  /** The number of starts. */
  readonly tries: number
  readonly maxTries: number
  readonly runAt: number
  readonly progress: Progress | undefined
  /** The error of the last failed try. */
  readonly error: string | undefined
  readonly finishedAt: number | undefined
}

export type Jobs = {
  /** Runs in the caller's transaction, so that the job exists exactly if the act that causes it does. */
  enqueue(trx: Db, kind: string, payload: unknown, options?: EnqueueOptions): Promise<number>
  /** Makes waiting jobs of a kind, or those with some keys, due now, once the caller's transaction is committed. */
  hasten(trx: Db, kind: string, keys?: readonly string[]): Promise<void>
  /** Defines how this process runs jobs of a kind. Jobs of other kinds are left to other processes. */
  define<T>(kind: string, handler: JobHandler<T>, options?: DefineOptions<T>): void
  /** Makes a defined kind recurring: it runs at once and this long after each end, one at a time in all processes. */
  every(kind: string, intervalMs: number): void
  start(): Promise<void>
  /** Claims no more jobs; running ones may finish within the grace period, and are otherwise returned to the queue. */
  stop(graceMs?: number): Promise<void>
  find(id: number): Promise<Job | undefined>
  /** The backlog of jobs that are due but not running, and the number of dead jobs. */
  readBacklog(): Promise<{ due: Backlog; dead: number }>
}

export type Needs = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly leaseMs?: number
  /**
   * No other process runs jobs of this store: every job that is running at the start belongs to a dead process,
   * whatever its lease.
   */
  readonly isAlone?: boolean
  /** Notifications wake the runner; polling finds expired leases, and jobs whose notification was lost. */
  readonly pollMs?: number
  readonly firstPauseMs?: number
  readonly keepDoneMs?: number
  readonly keepDeadMs?: number
}

const dayMs = 86_400_000
const usualTries = 8
const pruning = 'jobs.prune'
/** A handler has this long to end after its signal is aborted. */
const closeTimeoutMs = 500

type Definition = { readonly handler: JobHandler<unknown>; readonly concurrency: number; readonly giving: GivingUp }

export function makeJobs(needs: Needs): Jobs {
  const { store, clock, log, leaseMs = 12_000, pollMs = 5_000, isAlone = false } = needs
  const { firstPauseMs, keepDoneMs = 7 * dayMs, keepDeadMs = 30 * dayMs } = needs
  const queue = makeQueue({ store, clock, leaseMs, ...(firstPauseMs !== undefined && { firstPauseMs }) })
  const definitions = new Map<string, Definition>()
  const intervals = new Map<string, number>()
  const running = new Set<RunningJob>()
  /** When the next waiting job of each kind is due, as of the last look; every change wakes its kind. */
  const dueAt = new Map<string, number>()
  /** The kinds to claim jobs of in the next pass. */
  const wanted = new Set<string>()
  let isPollDue = false
  /** Consecutive failed rounds: the database is away, and each pause is longer. */
  let failures = 0
  let isStarted = false
  let round: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void) | undefined

  function wake(kind?: string): void {
    if (!isStarted) return
    for (const name of kind === undefined ? definitions.keys() : [kind]) if (definitions.has(name)) wanted.add(name)
    // After a failure, the timer retries, and so does a wake-up without a kind: it means that signals may have been
    // missed and the database is back.
    if (wanted.size > 0 && (failures === 0 || kind === undefined)) round ??= work()
  }

  async function work(): Promise<void> {
    try {
      while (isStarted && wanted.size > 0) {
        if (isPollDue) await recover()
        isPollDue = false
        const kinds = [...wanted]
        wanted.clear()
        for (const kind of kinds) await take(kind)
      }
      setTimer()
      failures = 0
    } catch (error) {
      failures++
      log.warn({ err: error }, 'jobs could not be looked for; it is tried again')
      startTimer(Math.min(pollMs, backOff(failures)))
    } finally {
      round = undefined
    }
    // A notification may have come since the last look.
    if (isStarted && wanted.size > 0 && failures === 0) round ??= work()
  }

  async function recover(endedBy = clock.now()): Promise<void> {
    for (const { id, kind, deaths } of await queue.recover((name) => definitions.get(name)?.giving, endedBy))
      log.error(
        { job: id, kind, deaths: deaths + 1 },
        'a job was given up, or has a pause: its process ended each time',
      )
  }

  /** Most looks find nothing: one follows each job's end. If all slots are taken, the next end looks. */
  async function take(kind: string): Promise<void> {
    const room = freeSlots(kind)
    if (room === 0 || !isStarted) return
    const now = clock.now()
    let due = await queue.nextDue(kind)
    if (due !== undefined && due <= now) {
      for (const row of await queue.claim(kind, room, now)) begin(row)
      // From the time of the claim, not from now: a job that fell due in between would be missed.
      due = freeSlots(kind) > 0 ? await queue.nextDue(kind, now) : undefined
    }
    if (due === undefined) dueAt.delete(kind)
    else dueAt.set(kind, due)
  }

  const freeSlots = (kind: string): number =>
    definitions.get(kind)!.concurrency - [...running].filter(({ row }) => row.kind === kind).length

  function begin(row: JobRow): void {
    const job = runJob({ row, handler: definitions.get(row.kind)!.handler, queue, leaseMs, log })
    running.add(job)
    void job.ended.finally(() => {
      running.delete(job)
      wake(row.kind)
    })
  }

  /** Sleeps until the next job of a kind with a free slot is due, at most until the next poll. */
  function setTimer(): void {
    let pauseMs = pollMs
    for (const [kind, due] of dueAt) if (freeSlots(kind) > 0) pauseMs = Math.min(pauseMs, due - clock.now())
    startTimer(Math.max(pauseMs, 1))
  }

  function startTimer(pauseMs: number): void {
    clearTimeout(timer)
    if (isStarted) timer = setTimeout(poll, pauseMs)
  }

  function poll(): void {
    isPollDue = true
    wake()
  }

  const jobs: Jobs = {
    enqueue: (trx, kind, payload, { runAt = clock.now(), maxTries = usualTries, key } = {}) =>
      queue.add(trx, { kind, payload: JSON.stringify(payload ?? null), runAt, maxTries, key }),

    hasten: queue.hasten,

    define<T>(kind: string, handler: JobHandler<T>, options: DefineOptions<T> = {}) {
      if (definitions.has(kind)) throw new Error(`Jobs of the kind ${kind} are defined already.`)
      const { concurrency = 1, isStanding = false, whenGivenUp } = options
      const giving: GivingUp = { isStanding, settle: async (trx, payload) => whenGivenUp?.(trx, payload as T) }
      definitions.set(kind, { handler: handler as JobHandler<unknown>, concurrency, giving })
      wake(kind)
    },

    every(kind, intervalMs) {
      if (isStarted || !definitions.has(kind)) throw new Error(`Define ${kind}, say how often, then start.`)
      intervals.set(kind, intervalMs)
    },

    async start() {
      for (const [kind, everyMs] of intervals) await queue.addRecurring(kind, everyMs)
      if (isAlone) await recover(Number.MAX_SAFE_INTEGER)
      isStarted = true
      stopListening = queue.listen(wake)
      poll()
    },

    async stop(graceMs = 5_000) {
      isStarted = false
      stopListening?.()
      clearTimeout(timer)
      await round
      await settled(running, graceMs)
      for (const job of running) job.interrupt()
      await settled(running, closeTimeoutMs)
      await Promise.all([...running].map((job) => job.abandon()))
    },

    async find(id) {
      const row = await queue.find(id)
      return row && present(row)
    },

    readBacklog: queue.readBacklog,
  }

  jobs.define(pruning, () => queue.prune(clock.now() - keepDoneMs, clock.now() - keepDeadMs))
  jobs.every(pruning, dayMs / 24)
  return jobs
}

async function settled(running: ReadonlySet<RunningJob>, withinMs: number): Promise<void> {
  if (running.size === 0) return
  const waiting = new AbortController()
  const all = Promise.allSettled([...running].map(({ ended }) => ended))
  await Promise.race([all, sleep(withinMs, undefined, { signal: waiting.signal }).catch(() => {})])
  waiting.abort()
}

const present = (row: JobRow): Job => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  tries: row.tries,
  maxTries: row.max_tries,
  runAt: row.run_at,
  progress: row.progress_total === null ? undefined : { done: row.progress_done!, total: row.progress_total },
  error: row.error ?? undefined,
  finishedAt: row.finished_at ?? undefined,
})
