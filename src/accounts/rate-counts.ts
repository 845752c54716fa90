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

export type Tally = { readonly used: number; readonly resetAt: number }

export type Spent = { readonly allowed: boolean; readonly tallies: Tally[] }

/** Where the counts are: in this process for SQLite (and then there at once), in a table for PostgreSQL. */
export type RateCounts = {
  spend(budgets: readonly Budget[]): Awaitable<Spent>
  peek(budgets: readonly Budget[]): Awaitable<Tally[]>
  /** Undefined when all places are taken; one who may not spend has left already. */
  admit(slot: Slot, budgets: readonly Budget[]): Awaitable<(Spent & { leave(): void }) | undefined>
  prune(): Promise<void>
  close(): Promise<void>
}
