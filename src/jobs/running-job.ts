/** A running job: renews its lease, writes its progress, and records its end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { hideSecrets, type Log } from '../lib/log.ts'
import type { JobRow, Progress, Queue } from './queue.ts'

export type JobContext = {
  readonly jobId: number
  /** Whether a failure would be final: then whoever waits for the job must be told. */
  readonly isLastTry: boolean
  /** Shown by `find` a moment later. */
  progress(done: number, total: number): void
  /** Aborted when the lease is lost, or the process stops. */
  readonly signal: AbortSignal
  /** For work that blocks the event loop so long that the timer can't renew the lease. Throws if the lease is lost. */
  renew(): Promise<void>
}

/** Throws to be retried. It may run more than once, so it must be idempotent. */
export type JobHandler<T> = (payload: T, context: JobContext) => Promise<unknown>

/** Thrown if further tries are useless: the job is dead at once, or waits for its next run if it is recurring. */
export class GivenUp extends Error {}

export type RunningJob = {
  readonly row: JobRow
  readonly ended: Promise<void>
  /** Tells the handler to end; a try that ends this way does not count. */
  interrupt(): void
  /** Returns the job to the queue, whatever the handler does now; if its end is being recorded, waits for that. */
  abandon(): Promise<void>
}

const progressEveryMs = 200
const longestError = 2_000

type Needs = { row: JobRow; handler: JobHandler<unknown>; queue: Queue; leaseMs: number; log: Log }

export function runJob({ row, handler, queue, leaseMs, log }: Needs): RunningJob {
  const aborting = new AbortController()
  const about = { job: row.id, kind: row.kind }
  let progress: Progress | undefined
  let isWriting = false
  let isUnwritten = false
  let isInterrupted = false
  /** The recording of its end, which happens once: the handler's end, or the return to the queue. */
  let recording: Promise<void> | undefined

  async function renew(): Promise<void> {
    isUnwritten = false
    if (recording || (await queue.renew(row, progress)) || recording) return
    aborting.abort(new Error('The lease of this job is lost.'))
    await absolve()
    aborting.signal.throwIfAborted()
  }

  let tickedAt = performance.now()
  let hasStoodStill = false
  /** If the timer is this late, the event loop was blocked, perhaps by this job. */
  const noteStall = () => {
    if (performance.now() - tickedAt > leaseMs / 2) hasStoodStill = true
  }

  function tick(): void {
    noteStall()
    tickedAt = performance.now()
    void renewQuietly()
  }

  let isAbsolved = false
  /** This process was taken for dead but is alive: if it did not stall either, the job is not to blame. */
  async function absolve(): Promise<void> {
    noteStall()
    if (isAbsolved || hasStoodStill) return
    isAbsolved = true
    await queue.absolve(row.id)
  }

  const renewQuietly = () => renew().catch((error) => log.warn({ err: error, ...about }, 'a lease was not renewed'))

  /** Writes the first progress at once, further ones at an interval, and always the last. */
  async function writeProgress(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (isUnwritten && !recording) {
      await renewQuietly()
      await sleep(progressEveryMs, undefined, { ref: false })
    }
    isWriting = false
  }

  const context: JobContext = {
    jobId: row.id,
    isLastTry: row.tries >= row.max_tries,
    signal: aborting.signal,
    renew,
    progress(done, total) {
      progress = { done, total }
      isUnwritten = true
      void writeProgress()
    },
  }

  async function run(): Promise<void> {
    const timer = setInterval(tick, leaseMs / 3)
    let record: () => Promise<boolean>
    try {
      await handler(JSON.parse(row.payload), context)
      record = () => queue.finish(row, progress)
    } catch (error) {
      if (isInterrupted) record = () => queue.giveBack(row)
      else {
        const isLast = row.tries >= row.max_tries || error instanceof GivenUp
        log[isLast ? 'error' : 'warn']({ err: error, ...about, tries: row.tries }, 'a job failed')
        record = () => queue.fail(row, describeError(error), isLast)
      }
    } finally {
      clearInterval(timer)
    }
    if (recording) return
    recording = recordEnd(record)
    await recording
  }

  /** A database that does not answer may do so in a second; if not, the lease expires and others take the job. */
  async function recordEnd(record: () => Promise<boolean>): Promise<void> {
    for (let attempt = 1; attempt <= 3; attempt++) {
      try {
        if (await record()) return
        log.warn(about, 'a job ended after its lease was lost')
        return await absolve()
      } catch (error) {
        log.warn({ err: error, ...about }, 'the end of a job could not be recorded')
        await sleep(attempt * 500)
      }
    }
  }

  return {
    row,
    ended: run(),
    interrupt() {
      isInterrupted = true
      aborting.abort(new Error('The server is stopping.'))
    },
    abandon: () => (recording ??= recordEnd(() => queue.giveBack(row))),
  }
}

/** The text of an error without secrets, and without NUL, which PostgreSQL refuses. */
function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return hideSecrets(text).replaceAll('\0', '').slice(0, longestError).toWellFormed()
}
