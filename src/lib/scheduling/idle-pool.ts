/** Worker threads that start on demand and end when idle; callers take turns. */
import type { Piscina } from 'piscina'
import { makeFairScheduler } from './fair-scheduler.ts'

const threads = 2
const idleMs = 10_000

type Options = {
  /** The worker's file: its default export is called with the task. */
  readonly filename: string
  /** A longer task is ended with its thread. */
  readonly maxMs: number
  /** The noun in the refusal's message. */
  readonly what: string
  /** Callers with more than this of recent use share one thread, so that the other is free for everybody else. */
  readonly heavyAfterMs?: number
}

export type IdlePool<Task, Result> = {
  /**
   * Rejects if the task takes too long, or more memory than a thread has. `caller`: the name for fair scheduling.
   * Aborting the signal ends the wait, or the task with its thread. Tasks of one group have one thread at a time, whoever
   * asks for them.
   */
  run(caller: string, task: Task, signal?: AbortSignal, group?: string): Promise<Result>
  close(): Promise<void>
}

export function makeIdlePool<Task, Result>({ filename, maxMs, what, heavyAfterMs }: Options): IdlePool<Task, Result> {
  let pool: Promise<Piscina> | undefined
  /** As many turns as threads, so that a task with a turn begins at once. */
  const { run: takeTurn } = makeFairScheduler({
    slots: threads,
    slotsPerCaller: 1,
    slotsPerGroup: 1,
    ...(heavyAfterMs !== undefined && { heavy: { afterMs: heavyAfterMs, slots: 1 } }),
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
    run: (caller, task, signal, group) =>
      takeTurn(
        caller,
        async () => {
          pool ??= open()
          const timeout = AbortSignal.timeout(maxMs)
          return (await pool).run(task, { signal: signal ? AbortSignal.any([timeout, signal]) : timeout })
        },
        { signal, group },
      ),
    async close(): Promise<void> {
      await (await pool)?.destroy()
    },
  }
}
