/** Rate counts in PostgreSQL, shared by every server process: those of requests that come together take one round trip. */
import { CompiledQuery, sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import { gather } from '../../base/gathering.ts'
import type { Log } from '../../base/log.ts'
import { logOutage } from '../../base/outage-log.ts'
import { nameStatement } from '../../store/statement-names.ts'
import type { Store } from '../../store/store.ts'
import { type Budget, type BudgetState, type RateCounts, type Slot, type Spent, stateOf } from './rate-counts.ts'
import { type Asked, makeRateGroup, type RateGroup } from './rate-group.ts'
import { type Leaving, makeRateSlots } from './rate-slots.ts'

type Needs = { store: Store; clock: Clock; log: Log; leaseMs: number }
type TallyRow = { used: number; reset_at: number }
type SpentRow = TallyRow & { allowed: boolean }
type Entered = Spent & { leave(): void }

const pruneBatch = 1_000
const maxGroup = 100
/** Who leaves does not wait; the next who come free the slot with their own, if they come so soon. */
const leaveAfterMs = 2
/** A key that was refused is asked for alone until it may be had again: a group with it would be refused as a whole. */
const maxRefused = 10_000
const slotRefusedMs = 1_000
const noGroup = makeRateGroup([])

const admitRates = nameStatement(
  'admit-rates',
  `select used, reset_at from admit_rates($1, $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[],
    $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11)`,
)

export function makeRateTable(needs: Needs): RateCounts {
  const { store, clock, log } = needs
  // A single statement is a transaction of its own: store.write would take two more round trips, and these counts need not
  // survive a crash.
  const { db } = store
  const slots = makeRateSlots(needs, wakeLeaving)
  const refused = new Map<string, number>()
  let leavingTimer: NodeJS.Timeout | undefined

  function wakeLeaving(): void {
    leavingTimer ??= setTimeout(() => void giveBack(), leaveAfterMs).unref()
  }

  async function giveBack(): Promise<void> {
    leavingTimer = undefined
    const leaving = slots.takeLeaving()
    if (leaving.keys.length === 0) return
    await sendLeaving(leaving, () => send(leaving, noGroup)).catch((error) =>
      logOutage(log, 'warn', { err: error }, 'a slot could not be given back; it is tried again'),
    )
  }

  async function sendLeaving<T>(leaving: Leaving, send: () => Promise<T>): Promise<T> {
    try {
      return await send()
    } catch (error) {
      slots.keepLeaving(leaving)
      throw error
    }
  }

  async function send({ holder, keys, counts }: Leaving, group: RateGroup): Promise<readonly TallyRow[]> {
    const { slots, budgets } = group
    const ofSlots = [
      slots.map(({ key }) => key),
      slots.map(({ limit }) => whole(limit)),
      slots.map(({ count }) => count),
    ]
    const ofBudgets = [keysOf(budgets), limitsOf(budgets), windowsOf(budgets), costsOf(budgets)]
    const parameters = [holder, keys, counts, ...ofSlots, ...ofBudgets, clock.now()]
    return (await db.executeQuery<TallyRow>(CompiledQuery.raw(admitRates, parameters))).rows
  }

  const isRefused = (key: string): boolean => {
    const until = refused.get(key)
    if (until === undefined) return false
    if (until > clock.now()) return true
    refused.delete(key)
    return false
  }

  function noteRefused(key: string, until: number): void {
    if (refused.size >= maxRefused) refused.clear()
    refused.set(key, until)
  }

  const isToAskAlone = ({ slot, budgets }: Asked): boolean =>
    (slot !== undefined && isRefused(slot.key)) || budgets.some(({ key }) => isRefused(key))

  /** Undefined where one of them does not fit: nothing was taken or spent. */
  async function admitGroup(asked: readonly Asked[]): Promise<readonly Entered[] | undefined> {
    const group = makeRateGroup(asked)
    const holder = await slots.hold()
    const leaving = slots.takeLeaving()
    const rows = await sendLeaving(leaving, () => send(leaving, group))
    if (rows.length === 0) return undefined
    return group.share(rows).map((states, i) => ({ allowed: true, states, leave: leaveOf(asked[i]!.slot, holder) }))
  }

  const leaveOf = (slot: Slot | undefined, holder: string) => (slot ? slots.makeLeave(slot.key, holder) : () => {})

  const admitAlone = async ({ slot, budgets }: Asked): Promise<Entered | undefined> => {
    if (!slot) return { ...(await spendAlone(budgets)), leave: () => {} }
    const entered = await enterAlone(slot, budgets)
    if (!entered) noteRefused(slot.key, clock.now() + slotRefusedMs)
    return entered
  }

  async function spendAlone(budgets: readonly Budget[]): Promise<Spent> {
    const { rows } = await sql<SpentRow>`select * from spend_rate(
      ${keysOf(budgets)}::text[], ${limitsOf(budgets)}::bigint[], ${windowsOf(budgets)}::bigint[],
      ${costsOf(budgets)}::bigint[], ${clock.now()})`.execute(db)
    return toSpent(budgets, rows)
  }

  /** Takes the slot and spends in one round trip; where no slot is free, the arrays are null and nothing is spent. */
  async function enterAlone({ key, limit }: Slot, budgets: readonly Budget[]): Promise<Entered | undefined> {
    await giveBack()
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
  }

  function toSpent(budgets: readonly Budget[], rows: readonly SpentRow[]): Spent {
    const spent = { allowed: rows.every(({ allowed }) => allowed), states: toStates(budgets, rows) }
    if (!spent.allowed)
      spent.states.forEach(({ key, used, limit, resetAt }, i) => {
        if (used + (budgets[i]!.cost ?? 1) > limit) noteRefused(key, resetAt)
      })
    return spent
  }

  /** Each by itself where they do not fit together; who is refused then is known by it, and keeps no others up again. */
  const admit = gather<Asked, Promise<Entered | undefined>>(async (asked) => {
    const together = asked.filter((each) => !isToAskAlone(each))
    const admitted = together.length > 0 ? await admitGroup(together) : undefined
    const answers = new Map(together.map((each, i) => [each, admitted?.[i]]))
    return asked.map(async (each) => answers.get(each) ?? admitAlone(each))
  }, maxGroup)

  const peek = gather<readonly Budget[], BudgetState[]>(async (asked) => {
    const all = asked.flat()
    const { rows } = await sql<TallyRow>`select * from peek_rate(
      ${keysOf(all)}::text[], ${windowsOf(all)}::bigint[], ${clock.now()})`.execute(db)
    const states = toStates(all, rows)
    let end = 0
    return asked.map(({ length }) => {
      end += length
      return states.slice(end - length, end)
    })
  }, maxGroup)

  return {
    spend: async (budgets) => (await await admit({ slot: undefined, budgets }))!,
    admit: async (slot, budgets) => await admit({ slot, budgets }),
    peek,
    close: async () => {
      clearTimeout(leavingTimer)
      await slots.close()
    },

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

const keysOf = (budgets: readonly Budget[]) => budgets.map(({ key }) => key)
const limitsOf = (budgets: readonly Budget[]) => budgets.map(({ limit }) => whole(limit))
const costsOf = (budgets: readonly Budget[]) => budgets.map(({ cost = 1 }) => whole(cost))
const windowsOf = (budgets: readonly Budget[]) => budgets.map(({ windowMs }) => whole(windowMs))

/** Rounds to what a bigint can hold; Infinity becomes the largest safe integer. */
const whole = (amount: number): number => Math.max(0, Math.min(Math.round(amount), Number.MAX_SAFE_INTEGER))

const toStates = (budgets: readonly Budget[], rows: readonly TallyRow[]): BudgetState[] =>
  rows.map(({ used, reset_at }, i) => stateOf(budgets[i]!, used, reset_at))
