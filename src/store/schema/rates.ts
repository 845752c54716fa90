/** The tables behind the rate budgets; on PostgreSQL alone, unlogged: after a crash every window starts anew. */

export type RateWindowTable = { key: string; used: number; reset_at: number }

/** How many slots of a key a server holds, until it expires unless it is renewed. The highest version is the truth. */
export type ConcurrencySlotTable = { key: string; server: string; held: number; version: number; expires_at: number }

/** Of older versions, which may run beside this one during an upgrade. */
export type RateHolderTable = { holder: string; expires_at: number }

export type RateSlotTable = { key: string; holder: string; held: number }

export type RatesSchema = {
  rate_window: RateWindowTable
  concurrency_slot: ConcurrencySlotTable
  rate_holder: RateHolderTable
  rate_slot: RateSlotTable
}
