/** A lease on a submission or a trial, which is renewed while it is judged, together with its progress. */
import type { Log } from '../../lib/log.ts'
import { Refused, type Rpc } from './rpc.ts'

export type Lease = {
  readonly id: number
  readonly secret: string
  /** Is aborted once the judge refuses to renew the lease. */
  readonly signal: AbortSignal
  progress(finishedCount: number, totalCount: number): void
  /** The outcome is on its way, which ends the lease: a renewal that is refused from now on came after it. */
  conclude(): void
  end(): void
}

/**
 * However long the lease is, this is how long a submission runs on that was deleted, with its problem or alone. A renewal
 * takes the judge some tenths of a millisecond.
 */
const longestPauseMs = 2_000
const shortestPauseMs = 1_000
/** Progress is sent at most this often, and at latest so long after a test: of those that follow, none runs for one that is gone. */
const progressPauseMs = 1_000

export function keepLease(
  { rpc, log }: { rpc: Rpc; log: Log },
  claimed: { ID: number; Lease: string; LeaseExpiryTime: number },
  now: () => number = Date.now,
  what: 'submission' | 'trial' = 'submission',
): Lease {
  const controller = new AbortController()
  // At a third of its time at the latest, within bounds that hold whatever the difference of the two clocks.
  const pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, (claimed.LeaseExpiryTime - now()) / 3))
  /** What is not told yet. */
  let counts: { FinishedTestCaseCount?: number; TotalTestCaseCount?: number } = {}
  let timer: NodeJS.Timeout | undefined
  let toldAt = performance.now()
  let isTelling = false
  let isConcluded = false
  let isOver = false

  const plan = (ms: number) => {
    clearTimeout(timer)
    if (!isOver) timer = setTimeout(renew, ms)
  }
  const renew = async () => {
    isTelling = true
    toldAt = performance.now()
    const told = counts
    try {
      await rpc.call(`renew_${what}_lease`, { ID: claimed.ID, Lease: claimed.Lease, ...told })
      const isAllTold = counts === told
      if (isAllTold) counts = {}
      plan(isAllTold ? pauseMs : progressPauseMs)
    } catch (error) {
      if (error instanceof Refused) {
        if (!isConcluded) log.warn({ [what]: claimed.ID, reason: error.message }, `the lease on a ${what} is lost`)
        controller.abort(error)
        return
      }
      plan(shortestPauseMs)
    } finally {
      isTelling = false
    }
  }
  plan(pauseMs)

  return {
    id: claimed.ID,
    secret: claimed.Lease,
    signal: controller.signal,
    progress(finishedCount, totalCount) {
      counts = { FinishedTestCaseCount: finishedCount, TotalTestCaseCount: totalCount }
      if (!isTelling) plan(Math.max(0, toldAt + progressPauseMs - performance.now()))
    },
    conclude() {
      isConcluded = true
    },
    end() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
