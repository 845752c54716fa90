/** One job while it runs: its lease is renewed, its progress written, its end recorded. */
import { setTimeout as sleep } from 'node:timers/promises'
import { hideSecrets, type Log } from '../base/log.ts'
import type { JobRow, Progress, Queue } from './queue.ts'

export type JobContext = {
  readonly jobId: number
  /** Shown by `find`, a moment later. */
  progress(done: number, total: number): void
  /** Aborted when the job is no longer ours, or has to end because the process does. */
  readonly signal: AbortSignal
  /** For work that keeps the process busy so long that the lease is not renewed by itself. Throws when it is lost. */
  renew(): Promise<void>
}

/** Throws to be tried again. May run more than once, so what it does must be right when done twice. */
export type JobHandler<T> = (payload: T, context: JobContext) => Promise<unknown>

export type RunningJob = {
  readonly row: JobRow
  readonly ended: Promise<void>
  /** Tells the handler to end; a try that ends by it does not count. */
  interrupt(): void
  /** Puts it back into the queue whatever the handler does from now on. */
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
  let isOver = false

  async function renew(): Promise<void> {
    isUnwritten = false
    if (isOver || (await queue.renew(row, progress)) || isOver) return
    aborting.abort(new Error('The lease of this job is lost.'))
    aborting.signal.throwIfAborted()
  }

  const renewQuietly = () => renew().catch((error) => log.warn({ err: error, ...about }, 'a lease was not renewed'))

  /** The first at once, then one in so often, the last in any case. */
  async function writeProgress(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (isUnwritten && !isOver) {
      await renewQuietly()
      await sleep(progressEveryMs, undefined, { ref: false })
    }
    isWriting = false
  }

  const context: JobContext = {
    jobId: row.id,
    signal: aborting.signal,
    renew,
    progress(done, total) {
      progress = { done, total }
      isUnwritten = true
      void writeProgress()
    },
  }

  async function run(): Promise<void> {
    const timer = setInterval(renewQuietly, leaseMs / 3)
    let record: () => Promise<boolean>
    try {
      await handler(JSON.parse(row.payload), context)
      record = () => queue.finish(row, progress)
    } catch (error) {
      if (isInterrupted) record = () => queue.giveBack(row)
      else {
        log[row.tries >= row.max_tries ? 'error' : 'warn']({ err: error, ...about, tries: row.tries }, 'a job failed')
        record = () => queue.fail(row, describeError(error))
      }
    } finally {
      clearInterval(timer)
    }
    if (isOver) return
    isOver = true
    await recordEnd(record)
  }

  /** A database that does not answer now may in a second; should it not, the lease runs out and another takes the job. */
  async function recordEnd(record: () => Promise<boolean>): Promise<void> {
    for (let attempt = 1; attempt <= 3; attempt++) {
      try {
        if (!(await record())) log.warn(about, 'a job ended after its lease was lost')
        return
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
    async abandon() {
      if (isOver) return
      isOver = true
      await recordEnd(() => queue.giveBack(row))
    },
  }
}

/** For whoever looks the job up: what went wrong, without secrets, and without NUL, which PostgreSQL refuses. */
function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return hideSecrets(text).replaceAll('\0', '').slice(0, longestError).toWellFormed()
}
