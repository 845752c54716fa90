/** Worker threads that start when they are first needed and end when they are not; callers take turns at them. */
import type { Piscina } from 'piscina'
import { makeFairScheduler } from './fair-scheduler.ts'

const threads = 2
const idleMs = 10_000

type Options = {
  /** The worker's file: its default export is called with the task. */
  readonly filename: string
  /** A task that takes longer is ended with its thread. */
  readonly maxMs: number
  /** What is waited for, as who is turned away is told. */
  readonly what: string
}

export type IdlePool<Task, Result> = {
  /**
   * Rejects where it takes too long, or more memory than a thread has. `caller`: whose turn it is. Once the signal is aborted
   * it waits no more, or is ended with its thread.
   */
  run(caller: string, task: Task, signal?: AbortSignal): Promise<Result>
  close(): Promise<void>
}

export function makeIdlePool<Task, Result>({ filename, maxMs, what }: Options): IdlePool<Task, Result> {
  let pool: Promise<Piscina> | undefined
  /** As many at a time as there are threads, so that what has its turn begins at once. */
  const { run: takeTurn } = makeFairScheduler({
    slots: threads,
    slotsPerCaller: 1,
    queuePerCaller: 50,
    queue: 500,
    maxWaitMs: 30_000,
    what,
  })

  const open = async () => {
    const { Piscina } = await import('piscina')
    return new Piscina({
      filename,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idleMs,
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
    })
  }

  return {
    run: (caller, task, signal) =>
      takeTurn(
        caller,
        async () => {
          pool ??= open()
          const timeout = AbortSignal.timeout(maxMs)
          return (await pool).run(task, { signal: signal ? AbortSignal.any([timeout, signal]) : timeout })
        },
        { signal },
      ),
    async close(): Promise<void> {
      await (await pool)?.destroy()
    },
  }
}
