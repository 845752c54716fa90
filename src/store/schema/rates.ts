/** The tables behind the rate budgets; on PostgreSQL alone, unlogged: after a crash every window starts anew. */

export type RateWindowTable = { key: string; used: number; reset_at: number }

/** A process that holds slots, for as long as it renews. */
export type RateHolderTable = { holder: string; expires_at: number }

export type RateSlotTable = { key: string; holder: string; held: number }

export type RatesSchema = { rate_window: RateWindowTable; rate_holder: RateHolderTable; rate_slot: RateSlotTable }
