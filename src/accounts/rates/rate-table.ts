/** Rate counts in PostgreSQL, shared by every server: one statement per request, for its slot and all its budgets. */
import { randomUUID } from 'node:crypto'
import { CompiledQuery, sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'
import { makeHeldSlots } from './held-slots.ts'
import {
  type Budget,
  type BudgetState,
  type ConcurrencySlot,
  type RateCounts,
  type Spent,
  stateOf,
} from './rate-counts.ts'
import { makeSlotWriter } from './slot-writer.ts'

type Needs = { store: Store; clock: Clock; log: Log; leaseMs: number }
type AdmittedRow = { entered: boolean; allowed: boolean; used: number[]; resets: number[] }

const pruneBatch = 1_000
const admitText = 'select * from admit_rate($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)'

export function makeRateTable({ store, clock, log, leaseMs }: Needs): RateCounts {
  // A single statement is its own transaction: store.write would take two more round trips, and these counts need not
  // survive a crash.
  const { db } = store
  const server = randomUUID()
  const slots = makeHeldSlots((key) => writer.note(key))
  const writer = makeSlotWriter({ db, clock, log, leaseMs, server, slots })

  async function send(slot: ConcurrencySlot | undefined, budgets: readonly Budget[]): Promise<AdmittedRow> {
    const ofSlot = slot && [slot.key, slots.count(slot.key), whole(slot.limit), writer.nextVersion(), writer.leaseEnd()]
    const { rows } = await db.executeQuery<AdmittedRow>(
      CompiledQuery.raw(admitText, [
        ...[server, ...(ofSlot ?? [null, null, null, null, null])],
        ...[keysOf(budgets), budgets.map(({ limit }) => whole(limit)), windowsOf(budgets)],
        ...[budgets.map(({ cost = 1 }) => whole(cost)), clock.now()],
      ]),
    )
    return rows[0]!
  }

  const toSpent = (budgets: readonly Budget[], { allowed, used, resets }: AdmittedRow): Spent => ({
    allowed,
    states: budgets.map((budget, i) => stateOf(budget, used[i]!, resets[i]!)),
  })

  return {
    spend: async (budgets) => toSpent(budgets, await send(undefined, budgets)),

    async admit(slot, budgets) {
      const leave = slots.take(slot)
      if (!leave) return undefined
      let row: AdmittedRow | undefined
      try {
        row = await send(slot, budgets)
        return row.entered ? { ...toSpent(budgets, row), leave } : undefined
      } finally {
        // A statement whose answer was lost may have written the slot: freeing it writes the true count.
        if (!row?.allowed) leave()
      }
    },

    async peek(budgets) {
      const { rows } = await sql<{ used: number; reset_at: number }>`select * from peek_rate(
        ${keysOf(budgets)}::text[], ${windowsOf(budgets)}::bigint[], ${clock.now()})`.execute(db)
      return rows.map(({ used, reset_at }, i): BudgetState => stateOf(budgets[i]!, used, reset_at))
    },

    async prune() {
      for (let deleted = pruneBatch; deleted >= pruneBatch; ) {
        // Skips locked rows: it never waits while it holds a lock, so it can't deadlock with a spending.
        const { numAffectedRows } = await sql`delete from rate_window where key in (
          select key from rate_window where reset_at <= ${clock.now()}
          order by reset_at limit ${pruneBatch} for update skip locked)`.execute(db)
        deleted = Number(numAffectedRows)
      }
      await writer.prune()
    },

    close: writer.close,
  }
}

const keysOf = (budgets: readonly Budget[]) => budgets.map(({ key }) => key)
const windowsOf = (budgets: readonly Budget[]) => budgets.map(({ windowMs }) => whole(windowMs))

/** Rounds to what a bigint can hold; Infinity becomes the largest safe integer. */
const whole = (amount: number): number => Math.max(0, Math.min(Math.round(amount), Number.MAX_SAFE_INTEGER))
