/** Rate counts in PostgreSQL, shared by every server process: a spending takes one round trip, by the functions of migration 2. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { logOutage } from '../../base/outage-log.ts'
import type { Store } from '../../store/store.ts'
import { type Budget, type BudgetState, type RateCounts, type Spent, stateOf } from './rate-counts.ts'

type Needs = { store: Store; clock: Clock; log: Log; leaseMs: number }
type TallyRow = { used: number; reset_at: number }
type SpentRow = TallyRow & { allowed: boolean }

const pruneBatch = 1_000

export function makeRateTable(needs: Needs): RateCounts {
  const { store, clock } = needs
  // A single statement is a transaction of its own: store.write would take two more round trips, and these counts need not
  // survive a crash.
  const { db } = store
  const slots = makeSlots(needs)
  return {
    async spend(budgets) {
      const { rows } = await sql<SpentRow>`select * from spend_rate(
        ${keysOf(budgets)}::text[], ${limitsOf(budgets)}::bigint[], ${windowsOf(budgets)}::bigint[],
        ${costsOf(budgets)}::bigint[], ${clock.now()})`.execute(db)
      return toSpent(budgets, rows)
    },

    /** Takes the slot and spends in one round trip; where no slot is free, the arrays are null and nothing is spent. */
    async admit({ key, limit }, budgets) {
      const holder = await slots.hold()
      const { rows } = await sql<SpentRow & { entered: boolean }>`select *
        from (select enter_rate(${key}, ${holder}, ${whole(limit)}, ${clock.now()}) as entered offset 0) slot
        left join lateral spend_rate(
          case when entered then ${keysOf(budgets)}::text[] end, case when entered then ${limitsOf(budgets)}::bigint[] end,
          case when entered then ${windowsOf(budgets)}::bigint[] end, case when entered then ${costsOf(budgets)}::bigint[] end,
          ${clock.now()}) on true`.execute(db)
      if (!rows[0]!.entered) return undefined
      const leave = slots.makeLeave(key, holder)
      const spent = toSpent(budgets, rows)
      if (!spent.allowed) leave()
      return { ...spent, leave }
    },

    async peek(budgets) {
      const { rows } = await sql<TallyRow>`select * from peek_rate(
        ${keysOf(budgets)}::text[], ${windowsOf(budgets)}::bigint[], ${clock.now()})`.execute(db)
      return toStates(budgets, rows)
    },

    close: slots.close,

    async prune() {
      for (let deleted = pruneBatch; deleted >= pruneBatch; ) {
        // It skips locked rows, so it never waits while it holds a lock and can't deadlock with a spending.
        const { numAffectedRows } = await sql`delete from rate_window where key in (
          select key from rate_window where reset_at <= ${clock.now()}
          order by reset_at limit ${pruneBatch} for update skip locked)`.execute(db)
        deleted = Number(numAffectedRows)
      }
      await slots.prune()
    },
  }
}

/** This process holds its slots under a name with a lease that it renews; the name of a process that is gone expires. */
function makeSlots({ store: { db }, clock, log, leaseMs }: Needs) {
  let holder: string | undefined
  let expiresAt = 0
  let renewing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  /** Releases that did not reach the database. */
  let owed: (() => Promise<unknown>)[] = []

  async function renew(): Promise<void> {
    const until = clock.now() + leaseMs
    const { numAffectedRows } = await sql`update rate_holder set expires_at = ${until}
      where holder = ${holder ?? ''} and expires_at > ${clock.now()}`.execute(db)
    if (Number(numAffectedRows) === 0) {
      // This is the first time, or the process stood still so long that its lease expired and its slots are lost.
      holder = randomUUID()
      owed = []
      await sql`insert into rate_holder values (${holder}, ${until})`.execute(db)
    }
    expiresAt = until
    for (const leave of owed.splice(0)) await attempt(leave)
  }

  function renewOnce(): Promise<void> {
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  async function attempt(leave: () => Promise<unknown>): Promise<void> {
    try {
      await leave()
    } catch (error) {
      owed.push(leave)
      logOutage(log, 'warn', { err: error }, 'a slot could not be given back; it is tried again')
    }
  }

  return {
    /** Answers the name under which slots are held from now on. */
    async hold(): Promise<string> {
      if (clock.now() >= expiresAt) await renewOnce()
      timer ??= setInterval(() => {
        renewOnce().catch((error) => log.warn({ err: error }, 'the lease of the slots could not be renewed'))
      }, leaseMs / 3).unref()
      return holder!
    },

    makeLeave(key: string, mine: string): () => void {
      let left = false
      return () => {
        if (left) return
        left = true
        void attempt(() =>
          sql`update rate_slot set held = held - 1 where key = ${key} and holder = ${mine}`.execute(db),
        )
      }
    },

    async prune(): Promise<void> {
      await sql`delete from rate_holder where expires_at <= ${clock.now() - leaseMs}`.execute(db)
      await sql`delete from rate_slot s where held = 0
        or not exists (select from rate_holder h where h.holder = s.holder)`.execute(db)
    },

    async close(): Promise<void> {
      clearInterval(timer)
      await renewing?.catch(() => {})
      if (holder) await sql`delete from rate_holder where holder = ${holder}`.execute(db).catch(() => {})
    },
  }
}

const keysOf = (budgets: readonly Budget[]) => budgets.map(({ key }) => key)
const limitsOf = (budgets: readonly Budget[]) => budgets.map(({ limit }) => whole(limit))
const costsOf = (budgets: readonly Budget[]) => budgets.map(({ cost = 1 }) => whole(cost))
const windowsOf = (budgets: readonly Budget[]) => budgets.map(({ windowMs }) => whole(windowMs))

/** Rounds to what a bigint can hold; Infinity becomes the largest safe integer. */
const whole = (amount: number): number => Math.max(0, Math.min(Math.round(amount), Number.MAX_SAFE_INTEGER))

const toSpent = (budgets: readonly Budget[], rows: readonly SpentRow[]): Spent => ({
  allowed: rows.every(({ allowed }) => allowed),
  states: toStates(budgets, rows),
})

const toStates = (budgets: readonly Budget[], rows: readonly TallyRow[]): BudgetState[] =>
  rows.map(({ used, reset_at }, i) => stateOf(budgets[i]!, used, reset_at))
