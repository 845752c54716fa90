/** A lease on a submission or a trial, renewed during judging, together with its progress. */
import type { Log } from '../../lib/log.ts'
import { Refused, type Rpc } from './rpc.ts'

export type Lease = {
  readonly id: number
  readonly secret: string
  /** Aborted when the judge refuses to renew the lease. */
  readonly signal: AbortSignal
  progress(finishedCount: number, totalCount: number): void
  /** The outcome is being sent, which ends the lease: a refused renewal from now on is no loss. */
  conclude(): void
  end(): void
}

/**
 * However long the lease is, a submission that was deleted, alone or with its problem, runs on for this long. A renewal
 * takes the judge some tenths of a millisecond.
 */
const longestPauseMs = 2_000
const shortestPauseMs = 1_000
/**
 * Progress is sent at most this often, and at the latest this long after a test: so after a deletion no further test
 * starts.
 */
const progressPauseMs = 1_000

export function keepLease(
  { rpc, log }: { rpc: Rpc; log: Log },
  claimed: { ID: number; Lease: string; LeaseExpiryTime: number },
  now: () => number = Date.now,
  what: 'submission' | 'trial' = 'submission',
): Lease {
  const controller = new AbortController()
  // At the latest after a third of its time, within bounds that hold even if the two clocks differ.
  const pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, (claimed.LeaseExpiryTime - now()) / 3))
  /** Progress that has not been sent yet. */
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
