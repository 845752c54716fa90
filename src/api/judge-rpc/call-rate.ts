/**
 * Limits the calls per minute of an account, or of an address without one. Counted in this process: a look-up elsewhere
 * would cost more than most calls.
 */
import { performance } from 'node:perf_hooks'
import type { Actor } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'
import { networkOf } from '../../lib/network.ts'

export type DemandRate = (actor: Actor) => void

const windowMs = 60_000
/** Callers beyond this number are not counted: a flood of addresses must not fill the memory. */
const maxCallers = 100_000

export function makeCallRate(callsPerMinute: number, now: () => number = () => performance.now()): DemandRate {
  if (!Number.isFinite(callsPerMinute)) return () => {}
  const counts = new Map<number | string, number>()
  let windowEnd = 0
  return ({ account, address }) => {
    const at = now()
    if (at >= windowEnd) {
      counts.clear()
      windowEnd = at + windowMs
    }
    const caller = account ? account.id : networkOf(address)
    const count = (counts.get(caller) ?? 0) + 1
    if (count > callsPerMinute) {
      const retryAfterSeconds = Math.ceil((windowEnd - at) / 1000)
      const message = `You may make ${callsPerMinute} calls a minute: wait and try again.`
      throw new Failure('limited', 'call-rate', message, { retryAfterSeconds })
    }
    if (counts.size < maxCallers || counts.has(caller)) counts.set(caller, count)
  }
}
