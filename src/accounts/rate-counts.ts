/** What rate budgets count, and the seam between the two places where the counts are. */

/** `key` names what is counted and whose it is (`core:user:7`). Whole numbers: count time in ms. A cost of 0 only asks. */
export type Budget = {
  readonly key: string
  readonly limit: number
  readonly windowMs: number
  readonly cost?: number
}

export type Tally = { readonly used: number; readonly resetAt: number }

/** Where the counts are: in this process for SQLite, in a table for PostgreSQL. */
export type RateCounts = {
  spend(budgets: readonly Required<Budget>[]): Promise<{ allowed: boolean; tallies: Tally[] }>
  peek(budgets: readonly Required<Budget>[]): Promise<Tally[]>
  enter(key: string, limit: number): Promise<(() => void) | undefined>
  prune(): Promise<void>
  close(): Promise<void>
}
