/** Processor time per caller in microseconds, gathered here and added to the shared count in batches. */
import type { RateBudgets } from '../../accounts/rates/rate-budgets.ts'
import type { Clock } from '../../lib/clock.ts'

const longestLotMicros = 100_000
const maxCallers = 10_000

export type ProcessorTime = ReturnType<typeof makeProcessorTime>

type Needs = {
  rates: RateBudgets
  clock: Clock
  /** The name it is counted under. */
  name: string
  /** Seconds of processor time per window. */
  seconds: number
  windowMs: number
}

export function makeProcessorTime({ rates, clock, name, seconds, windowMs }: Needs) {
  const gathered = new Map<string, number>()
  const closed = new Map<string, number>()
  const limit = seconds * 1_000_000
  const lotMicros = Math.min(longestLotMicros, limit / 10)

  return {
    closedUntil(caller: string): number {
      const until = closed.get(caller)
      if (until === undefined) return 0
      if (until > clock.now()) return until
      closed.delete(caller)
      return 0
    },

    async spend(caller: string, micros: number): Promise<void> {
      if (micros === 0) return
      const sum = (gathered.get(caller) ?? 0) + micros
      if (sum < lotMicros) {
        if (gathered.size >= maxCallers) gathered.clear()
        gathered.set(caller, sum)
        return
      }
      gathered.delete(caller)
      const budget = { key: `${name}:${caller}`, limit, windowMs }
      const { used, resetAt } = await rates.add(budget, Math.round(sum))
      if (used > limit) closed.set(caller, resetAt)
    },
  }
}
