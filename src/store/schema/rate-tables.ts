/**
 * The tables of the rate budgets; only on PostgreSQL, and unlogged: after a crash every window starts anew. Older
 * servers have `rate_slot` and `rate_holder`.
 */

export type RateWindowTable = { key: string; used: number; reset_at: number }

/** How many slots of a key a server holds, until it expires without a renewal. The highest version counts. */
export type ConcurrencySlotTable = { key: string; server: string; held: number; version: number; expires_at: number }

export type RatesSchema = {
  rate_window: RateWindowTable
  concurrency_slot: ConcurrencySlotTable
}
