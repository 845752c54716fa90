/**
 * Moves what was committed from SQLite's log into its file, and begins the log anew, on a thread of its own: that costs
 * about as much as the commits do, and the server would stand still meanwhile. The thread starts once there is a log
 * worth it.
 */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { programFile } from '../../lib/process/program-file.ts'
import type { CheckpointAnswer, CheckpointRequest } from './checkpoint-thread.ts'
import { walOf } from './wal.ts'

/** So many commits are moved at once: more where they are small, for each time the disk is synced. */
const fewestCommits = 16
const mostCommits = 1_024
/** What is worth a checkpoint. */
const worthwhilePages = 2_048
const worthwhileBytes = 4_096 * worthwhilePages

/** A log begins anew only when all of it has been moved: for one of so many pages writers are held up until it has. */
const longLogPages = 4_096

/** What is to become shorter, and can't while somebody reads from an older moment, is tried again after so long. */
const tryAgainMs = 500

/** Without a thread the writer does it by itself, from so many pages on. */
export const lastResortPages = 8 * longLogPages

const cadenceFor = (pagesACommit: number): number =>
  Math.min(Math.max(Math.round(worthwhilePages / pagesACommit), fewestCommits), mostCommits)

export function makeCheckpoints(path: string) {
  let thread: Worker | undefined
  let running: Promise<void> | undefined
  let finish = () => {}
  let cadence = fewestCommits
  let commits = 0
  /** Those that the last checkpoint was for. */
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
    // One that fails takes nothing with it: the log is whole, and there is the last resort. An exit follows.
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
    /** After each commit. Answers what to wait for before the next one, where the log is to begin anew. */
    note(): Promise<void> | undefined {
      commits++
      // Who is far ahead of the thread waits for it, too.
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
    /** Moves at once what there is, and later what somebody still reads: only then does a file become shorter. */
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
