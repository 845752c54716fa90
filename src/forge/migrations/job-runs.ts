/** Runs of exports and imports. Each run has an id, so that a run wrongly taken for dead cannot end the work. */

import type { JobContext } from '../../jobs/jobs.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import type { Store } from '../../store/store.ts'

type Table = 'migration' | 'migration_import'

/** Stores the progress of a run in whole percents, one write at a time; values in between are dropped. */
export function showProgress(store: Store, log: Log, table: Table, id: number, run: string): (percent: number) => void {
  let shown = 0
  let isWriting = false
  return (percent) => {
    const progress = Math.min(99, Math.floor(percent))
    if (progress <= shown || isWriting) return
    shown = progress
    isWriting = true
    void store
      .write((trx) => trx.updateTable(table).set({ progress }).where('id', '=', id).where('run', '=', run).execute(), {
        mayBeLost: true,
      })
      .catch((error) => log.warn({ err: error, table, id }, 'progress could not be written'))
      .finally(() => {
        isWriting = false
      })
  }
}

/**
 * Outages and our own faults are tried again. A refusal (`refusal`), or a failure of the last try, ends the work with
 * its reason.
 */
export async function workOrFail(
  context: JobContext,
  refusal: string,
  work: () => Promise<void>,
  fail: (error: unknown, isRefused: boolean) => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    const error = explainOutage(thrown)
    const isRefused = error instanceof Failure && error.code === refusal
    if (!isRefused && !context.isLastTry) throw thrown
    await fail(error, isRefused)
  }
}
