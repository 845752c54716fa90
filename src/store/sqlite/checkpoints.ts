/**
 * Moves commits from SQLite's log into its file, and restarts the log, on a thread of its own: that costs about as much
 * as the commits, and would block the server meanwhile. The thread starts once the log is long enough.
 */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { programFile } from '../../lib/process/program-file.ts'
import type { CheckpointAnswer, CheckpointRequest } from './checkpoint-thread.ts'
import { walOf } from './wal.ts'

/** How many commits are moved at once: more if they are small, since the disk is synced each time. */
const fewestCommits = 16
const mostCommits = 1_024
/** The least that is worth a checkpoint. */
const worthwhilePages = 2_048
const worthwhileBytes = 4_096 * worthwhilePages

/** A log restarts only after all of it has been moved: beyond this length writers are held up until it has. */
const longLogPages = 4_096

/** A file that can't shrink yet, because of a reader at an older moment, is retried after this time. */
const tryAgainMs = 500

/** Without the thread the writer makes checkpoints itself, from this length on. */
export const lastResortPages = 8 * longLogPages

const cadenceFor = (pagesACommit: number): number =>
  Math.min(Math.max(Math.round(worthwhilePages / pagesACommit), fewestCommits), mostCommits)

export function makeCheckpoints(path: string) {
  let thread: Worker | undefined
  let running: Promise<void> | undefined
  let finish = () => {}
  let cadence = fewestCommits
  let commits = 0
  /** The commits that the last checkpoint covered. */
  let covered = 1
  let isLong = false
  let isToShorten = false
  let again: NodeJS.Timeout | undefined

  const isWorthwhile = () =>
    thread !== undefined || (statSync(walOf(path), { throwIfNoEntry: false })?.size ?? 0) >= worthwhileBytes

  function startThread(): Worker {
    const fresh = new Worker(programFile(import.meta.dirname, 'checkpoint-thread.ts'), { workerData: { path } })
    const answer = (done: CheckpointAnswer) => {
      isLong = done.logPages > longLogPages
      if (done.movedPages > 0) cadence = cadenceFor(done.movedPages / covered)
      running = undefined
      fresh.unref()
      finish()
      if (done.isWhole) isToShorten = false
      if (isToShorten) again ??= setTimeout(tryAgain, tryAgainMs).unref()
    }
    fresh.on('message', answer)
    // A failed thread does no harm: the log is sound, and there is the last resort. An exit follows.
    fresh.on('error', () => {})
    fresh.on('exit', () => {
      thread = undefined
      answer({ logPages: 0, movedPages: 0, isWhole: true })
    })
    return fresh
  }

  function ask(request: CheckpointRequest): Promise<void> {
    covered = commits
    commits = 0
    thread ??= startThread()
    thread.ref()
    thread.postMessage(request)
    return new Promise((resolve) => {
      finish = resolve
    })
  }

  function tryAgain(): void {
    again = undefined
    running ??= ask('checkpoint')
  }

  return {
    /** Called after each commit. Returns what the next one must wait for if the log is to be restarted. */
    note(): Promise<void> | undefined {
      commits++
      // A writer far ahead of the thread waits for it, too.
      if (running) return commits >= 2 * cadence ? running : undefined
      if (isLong) {
        isLong = false
        running = ask('restart')
        return running
      }
      if (commits < cadence) return undefined
      if (isWorthwhile()) running = ask('checkpoint')
      else commits = 0
      return undefined
    },
    /** Moves what it can at once, and later what readers still need: only then does the file shrink. */
    async run(): Promise<void> {
      await running
      isToShorten = true
      running ??= ask('checkpoint')
      await running
    },
    async close(): Promise<void> {
      clearTimeout(again)
      isToShorten = false
      await running
      if (!thread) return
      const ended = once(thread, 'exit')
      thread.ref()
      thread.postMessage('end' satisfies CheckpointRequest)
      await ended
    },
  }
}
