/**
 * Rate budgets: how much of something a caller may still use. They are exact under any number of concurrent requests
 * and servers.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'
import {
  type Budget,
  type BudgetState,
  type ConcurrencySlot,
  type RateCounts,
  type Spent,
  stateOf,
} from './rate-counts.ts'
import { makeRateMemory } from './rate-memory.ts'
import { makeRateTable } from './rate-table.ts'

export type { Budget, BudgetState, ConcurrencySlot } from './rate-counts.ts'

export type Spending = Spent & {
  /** Among the refusing budgets, the one that resets last. */
  readonly refusedBy?: BudgetState
}

export type RateBudgets = {
  /** Spends from all budgets or from none. A window starts with its first request. */
  spend(budgets: readonly Budget[]): Promise<Spending>
  peek(budgets: readonly Budget[]): Promise<BudgetState[]>
  /** Charges afterwards (CPU time, or a refusal that counts against its caller), even beyond the limit. */
  add(budget: Budget, amount: number): Promise<BudgetState>
  /**
   * Takes a slot of a limited number and spends, in one step. Answers undefined, and spends nothing, when all slots are
   * taken. Otherwise `leave` frees the slot (calling it again does nothing); a refused spending has freed it already.
   */
  admit(slot: ConcurrencySlot, budgets: readonly Budget[]): Promise<(Spending & { leave(): void }) | undefined>
  /** Removes expired windows. Called regularly. */
  prune(): Promise<void>
  close(): Promise<void>
}

export type Needs = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Bound on windows in memory: at about 200 bytes each, 20 MB. */
  readonly maxKeys?: number
  /** The slots of a killed process are freed after this time. */
  readonly leaseMs?: number
}

export function makeRateBudgets({ store, clock, log, maxKeys = 100_000, leaseMs = 30_000 }: Needs): RateBudgets {
  const counts: RateCounts =
    store.engine === 'sqlite' ? makeRateMemory({ clock, maxKeys }) : makeRateTable({ store, clock, log, leaseMs })
  return {
    async spend(budgets) {
      demandDistinct(budgets)
      return explain(budgets, await counts.spend(budgets))
    },

    async admit(slot, budgets) {
      demandDistinct(budgets)
      const entered = await counts.admit(slot, budgets)
      return entered && explain(budgets, entered)
    },

    peek: counts.peek,

    async add(budget, amount) {
      const boundless = { ...budget, limit: Number.MAX_SAFE_INTEGER, cost: Math.round(amount) }
      const { states } = await counts.spend([boundless])
      return stateOf(budget, states[0]!.used, states[0]!.resetAt)
    },

    prune: counts.prune,
    close: counts.close,
  }
}

function demandDistinct(budgets: readonly Budget[]): void {
  for (let i = 1; i < budgets.length; i++)
    for (let j = 0; j < i; j++)
      if (budgets[i]!.key === budgets[j]!.key) throw new Error('One spending names each budget once.')
}

function explain<T extends Spent>(budgets: readonly Budget[], spent: T): T & Spending {
  if (spent.allowed) return spent
  const refusing = spent.states.filter(({ used, limit }, i) => used + (budgets[i]!.cost ?? 1) > limit)
  return { ...spent, refusedBy: refusing.sort((a, b) => b.resetAt - a.resetAt)[0]! }
}
