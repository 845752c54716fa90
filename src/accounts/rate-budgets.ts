/** Rate budgets: how much of what a caller may still use. Exact under any number of requests at once and across processes. */
import { type Awaitable, whenKnown } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { Budget, RateCounts, Slot, Spent, Tally } from './rate-counts.ts'
import { makeRateMemory } from './rate-memory.ts'
import { makeRateTable } from './rate-table.ts'

/** Before the first request of a window, `resetAt` is when one that started now would end. */
export type BudgetState = {
  readonly key: string
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetAt: number
}

export type Spending = {
  readonly allowed: boolean
  /** In the order asked, after the spending; as they stand when it was refused. */
  readonly states: BudgetState[]
  /** Of those that refuse, the one that lasts longest. */
  readonly refusedBy?: BudgetState
}

export type { Budget, Slot } from './rate-counts.ts'

export type RateBudgets = {
  /** All or nothing: a refused spending counts nothing anywhere. A window starts with its first request. */
  spend(budgets: readonly Budget[]): Awaitable<Spending>
  peek(budgets: readonly Budget[]): Awaitable<BudgetState[]>
  /** After the fact (CPU time, a refusal that counts against its caller): goes past the limit if need be. */
  add(budget: Budget, amount: number): Awaitable<BudgetState>
  /**
   * Spends as one of so many at a time, in one step: undefined, and nothing spent, when all places are taken. Otherwise how
   * to leave (once; again does nothing); one who was refused has left already.
   */
  admit(slot: Slot, budgets: readonly Budget[]): Awaitable<(Spending & { leave(): void }) | undefined>
  /** Forgets what is over. To be called now and then. */
  prune(): Promise<void>
  close(): Promise<void>
}

export type Needs = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Counts kept in memory at most: at about 200 bytes each, 20 MB. */
  readonly maxKeys?: number
  /** A killed process's slots come free after so long. */
  readonly leaseMs?: number
}

export function makeRateBudgets({ store, clock, log, maxKeys = 100_000, leaseMs = 30_000 }: Needs): RateBudgets {
  const counts: RateCounts =
    store.engine === 'sqlite' ? makeRateMemory({ clock, maxKeys }) : makeRateTable({ store, clock, log, leaseMs })
  return {
    spend(budgets) {
      demandDistinct(budgets)
      return whenKnown(counts.spend(budgets), (spent) => toSpending(budgets, spent))
    },

    admit(slot, budgets) {
      demandDistinct(budgets)
      return whenKnown(counts.admit(slot, budgets), (entered) =>
        entered ? Object.assign(toSpending(budgets, entered), { leave: entered.leave }) : undefined,
      )
    },

    peek: (budgets) =>
      whenKnown(counts.peek(budgets), (tallies) => tallies.map((tally, i) => describe(budgets[i]!, tally))),

    add(budget, amount) {
      const boundless = { ...budget, limit: Number.MAX_SAFE_INTEGER, cost: Math.round(amount) }
      return whenKnown(counts.spend([boundless]), ({ tallies }) => describe(budget, tallies[0]!))
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

function toSpending(budgets: readonly Budget[], { allowed, tallies }: Spent): Spending {
  const states = tallies.map((tally, i) => describe(budgets[i]!, tally))
  if (allowed) return { allowed, states }
  const refusing = states.filter(({ used, limit }, i) => used + (budgets[i]!.cost ?? 1) > limit)
  return { allowed, states, refusedBy: refusing.sort((a, b) => b.resetAt - a.resetAt)[0]! }
}

const describe = ({ key, limit }: Budget, { used, resetAt }: Tally): BudgetState => ({
  key,
  limit,
  used,
  remaining: Math.max(0, limit - used),
  resetAt,
})
