/** The counters of rate budgets, and the interface of the two places that can store them. */

/**
 * `key` names what is counted and for whom (`core:user:7`). Amounts are whole numbers, times are in ms. A cost of 0
 * only asks; the default is 1.
 */
export type Budget = {
  readonly key: string
  readonly limit: number
  readonly windowMs: number
  readonly cost?: number
}

/** At most `limit` concurrent holders of `key`. */
export type ConcurrencySlot = { readonly key: string; readonly limit: number }

/** Before a window's first request, `resetAt` is when a window that started now would end. */
export type BudgetState = {
  readonly key: string
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetAt: number
}

/** The states after the spending, in the order of the budgets; unchanged ones if it was refused. */
export type Spent = { readonly allowed: boolean; readonly states: readonly BudgetState[] }

export const stateOf = ({ key, limit }: Budget, used: number, resetAt: number): BudgetState => ({
  key,
  limit,
  used,
  remaining: Math.max(0, limit - used),
  resetAt,
})

/** Stores the counts: in this process's memory for SQLite, in a table for PostgreSQL. */
export type RateCounts = {
  spend(budgets: readonly Budget[]): Promise<Spent>
  peek(budgets: readonly Budget[]): Promise<BudgetState[]>
  /** Answers undefined when all slots are taken; a refused spending has freed its slot already. */
  admit(slot: ConcurrencySlot, budgets: readonly Budget[]): Promise<(Spent & { leave(): void }) | undefined>
  prune(): Promise<void>
  close(): Promise<void>
}
