/** The rates of several requests as one: each key once, with what all of them want of it. */
import { type Budget, type BudgetState, type Slot, stateOf } from './rate-counts.ts'

export type Asked = { readonly slot?: Slot | undefined; readonly budgets: readonly Budget[] }

/** Of each key, after all of the group spent. */
export type GroupCounts = ReadonlyMap<string, { used: number; readonly resetAt: number }>

export type RateGroup = ReturnType<typeof makeRateGroup>

type Wanted = { key: string; limit: number; count: number }
type Shared = { key: string; limit: number; windowMs: number; cost: number }

/** What fits under the lowest of the limits that the requests name for a key fits in any order. */
export function makeRateGroup(asked: readonly Asked[]) {
  const slots = new Map<string, Wanted>()
  const budgets = new Map<string, Shared>()
  for (const { slot, budgets: each } of asked) {
    if (slot) {
      const wanted = slots.get(slot.key)
      if (wanted) {
        wanted.count++
        wanted.limit = Math.min(wanted.limit, slot.limit)
      } else slots.set(slot.key, { ...slot, count: 1 })
    }
    for (const { key, limit, windowMs, cost = 1 } of each) {
      const shared = budgets.get(key)
      if (shared) {
        shared.cost += cost
        shared.limit = Math.min(shared.limit, limit)
      } else budgets.set(key, { key, limit, windowMs, cost })
    }
  }
  return {
    slots: [...slots.values()],
    budgets: [...budgets.values()] as readonly Budget[],

    /** How each request found its budgets, had they come one after the other. Uses the counts up. */
    share(counts: GroupCounts): BudgetState[][] {
      for (const { key, cost } of budgets.values()) counts.get(key)!.used -= cost
      return asked.map(({ budgets: each }) =>
        each.map((budget) => {
          const count = counts.get(budget.key)!
          count.used += budget.cost ?? 1
          return stateOf(budget, count.used, count.resetAt)
        }),
      )
    },
  }
}
