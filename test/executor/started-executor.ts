/** An executor in this process, for as long as a test needs it. */

import { type ExecutorOptions, runExecutor } from '../../src/executor/executor.ts'
import { makeLog } from '../../src/lib/log.ts'
import { without } from '../support/cgroup.ts'

export type StartedExecutor = { stop(): Promise<void> }

/** Answers once it is about to claim. */
export async function startExecutor(
  given: Pick<ExecutorOptions, 'serverUrl' | 'token'> & Partial<ExecutorOptions>,
): Promise<StartedExecutor> {
  const { onReady, ...options } = given
  const stop = new AbortController()
  let ended: Promise<void> = Promise.resolve()
  await new Promise<void>((resolve, reject) => {
    ended = runExecutor({
      log: makeLog('fatal'),
      without,
      signal: stop.signal,
      only: ['c', 'python'],
      onReady: (...said) => {
        onReady?.(...said)
        resolve()
      },
      ...options,
    })
    ended.catch(reject)
  })
  return {
    async stop() {
      stop.abort()
      await ended
    },
  }
}
