/** Runs of exports and imports. Each has a name: one that was taken for dead, and was not, ends nothing. */

import type { JobContext } from '../../jobs/jobs.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import type { Store } from '../../store/store.ts'

type Table = 'migration' | 'migration_import'

/** Writes the whole percents of a run, one write at a time: what comes meanwhile is left out. */
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
 * An outage, or a fault of our own, is tried again; what is refused (`refusal`), and what failed at the last try, ends
 * with its reason.
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
