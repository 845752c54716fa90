/** What rate budgets count, and the seam between the two places where the counts are. */
import type { Awaitable } from '../base/awaitable.ts'

/** `key` names what is counted and whose it is (`core:user:7`). Whole numbers: count time in ms. A cost of 0 only asks; without one it is 1. */
export type Budget = {
  readonly key: string
  readonly limit: number
  readonly windowMs: number
  readonly cost?: number
}

/** So many at a time of what `key` names. */
export type Slot = { readonly key: string; readonly limit: number }

/** Before the first request of a window, `resetAt` is when one that started now would end. */
export type BudgetState = {
  readonly key: string
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetAt: number
}

export const stateOf = ({ key, limit }: Budget, used: number, resetAt: number): BudgetState => ({
  key,
  limit,
  used,
  remaining: Math.max(0, limit - used),
  resetAt,
})

/** States in the order asked, after the spending; as they stand when it was refused. */
export type Spent = { readonly allowed: boolean; readonly states: readonly BudgetState[] }

/** Where the counts are: in this process for SQLite (and then there at once), in a table for PostgreSQL. */
export type RateCounts = {
  spend(budgets: readonly Budget[]): Awaitable<Spent>
  peek(budgets: readonly Budget[]): Awaitable<BudgetState[]>
  /** Undefined when all places are taken; one who may not spend has left already. */
  admit(slot: Slot, budgets: readonly Budget[]): Awaitable<(Spent & { leave(): void }) | undefined>
  prune(): Promise<void>
  close(): Promise<void>
}
