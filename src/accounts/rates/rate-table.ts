/** Rate counts in PostgreSQL, shared by every server process: those of requests that come together take one round trip, which catches up as well. */
import { CompiledQuery, sql } from 'kysely'
import { type Awaitable, whenKnown } from '../../base/awaitable.ts'
import type { Clock } from '../../base/clock.ts'
import { gather } from '../../base/gathering.ts'
import type { Log } from '../../base/log.ts'
import { isConflict, type Store } from '../../store/store.ts'
import { type Budget, type BudgetState, type RateCounts, type Slot, type Spent, stateOf } from './rate-counts.ts'
import { type Asked, type GroupCounts, makeRateGroup, type RateGroup } from './rate-group.ts'
import { makeRateSaving } from './rate-saving.ts'
import { makeRateSlots } from './rate-slots.ts'
import { makeSoleCounts } from './sole-counts.ts'

type Needs = { store: Store; clock: Clock; log: Log; leaseMs: number }
type TallyRow = { used: number; reset_at: number }
type SpentRow = TallyRow & { allowed: boolean }
type Entered = Spent & { leave(): void }
type GroupRow = { readonly keys: string[] | null; readonly used: number[]; readonly resets: number[] }
/** Without counts where it did not fit. */
type Sent = { readonly holder: string; readonly counts: GroupCounts | undefined }

const pruneBatch = 1_000
const maxGroup = 100
/** A key that was refused is asked for alone until it may be had again: a group with it would be refused as a whole. */
const maxRefused = 10_000
const slotRefusedMs = 1_000
const stay = () => {}

const groupCall = 'admit_group($2, $3, $4, $5, $6, $7, $8, $9, $10)'
const freeSlotsCall = 'free_slots($2, $3, $4)'
const groupAlone = 'select * from admit_group($1, $2, $3, $4, $5, $6, $7, $8, $9)'

export function makeRateTable(needs: Needs): RateCounts {
  const { store, clock } = needs
  // A single statement is a transaction of its own: store.write would take two more round trips, and these counts need not
  // survive a crash.
  const { db } = store
  const slots = makeRateSlots(needs, wakeLeaving)
  const refused = new Map<string, number>()
  const own = makeSoleCounts({ clock, term: store.aloneTerm })
  const saving = makeRateSaving({ counts: own, spend: spendAlone, log: needs.log })
  let leavingTimer: NodeJS.Timeout | undefined
  let leavingAt = Number.POSITIVE_INFINITY

  function wakeLeaving(afterMs: number): void {
    const at = performance.now() + afterMs
    if (at >= leavingAt) return
    clearTimeout(leavingTimer)
    leavingAt = at
    leavingTimer = setTimeout(() => void giveBack(), afterMs).unref()
  }

  /** After the group before it and before the next. Those whose rows are locked by one who asks alone are given back later. */
  async function giveBack(): Promise<void> {
    leavingAt = Number.POSITIVE_INFINITY
    const leaving = slots.takeLeaving()
    const { holder, keys, counts } = leaving
    if (keys.length === 0) return
    const freed = await store.catchUpWith({ name: 'free-slots', call: freeSlotsCall, values: [holder, keys, counts] })
    if (freed) slots.keep(leaving, freed.kept as string[])
    else slots.doubt()
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
    const takenOver = asked.map(({ slot }) => slot !== undefined && slots.takeOver(slot.key))
    const group = makeRateGroup(asked.map((each, i) => (takenOver[i] ? { budgets: each.budgets } : each)))
    let sent: Sent | undefined
    try {
      sent = await send(group)
    } finally {
      if (!sent?.counts) for (const [i, { slot }] of asked.entries()) if (takenOver[i]) slots.leave(slot!.key)
    }
    const { holder, counts } = sent
    if (!counts) return undefined
    return group.share(counts).map((states, i) => {
      const { slot } = asked[i]!
      if (slot && !takenOver[i]) slots.enter(slot, holder)
      return { allowed: true, states, leave: slot ? makeLeave(slot.key) : stay }
    })
  }

  /**
   * With the look at what other servers changed, in one round trip. Where that has no answer it is sent by itself: what it
   * may have spent is then spent twice, and slots that it may have taken are written down anew.
   */
  async function send(group: RateGroup): Promise<Sent> {
    const holder = await slots.hold()
    const values = [holder, ...valuesOf(group), clock.now()]
    const row = await store.catchUpWith({ name: 'admit-group', call: groupCall, values })
    if (row) return { holder, counts: readCounts(row as GroupRow) }
    if (group.slots.length > 0) slots.doubt()
    return sendAlone(group)
  }

  async function sendAlone(group: RateGroup): Promise<Sent> {
    const holder = await slots.hold()
    try {
      const parameters = [holder, ...valuesOf(group), clock.now()]
      const { rows } = await sendAgain(() => db.executeQuery<GroupRow>(CompiledQuery.raw(groupAlone, parameters)))
      return { holder, counts: readCounts(rows[0]!) }
    } catch (error) {
      slots.doubt()
      throw error
    }
  }

  function makeLeave(key: string): () => void {
    let left = false
    return () => {
      if (left) return
      left = true
      slots.leave(key)
    }
  }

  const admitAlone = async ({ slot, budgets }: Asked): Promise<Entered | undefined> => {
    if (!slot) return { ...(await spendAlone(budgets)), leave: stay }
    const entered = slots.takeOver(slot.key) ? await spendWithin(slot, budgets) : await enterAlone(slot, budgets)
    if (!entered) noteRefused(slot.key, clock.now() + slotRefusedMs)
    return entered
  }

  async function spendAlone(budgets: readonly Budget[]): Promise<Spent> {
    const query = sql<SpentRow>`select * from spend_rate(
      ${keysOf(budgets)}::text[], ${limitsOf(budgets)}::bigint[], ${windowsOf(budgets)}::bigint[],
      ${costsOf(budgets)}::bigint[], ${clock.now()})`
    const { rows } = await sendAgain(() => query.execute(db))
    return toSpent(budgets, rows)
  }

  /** By one whose slot was taken over. */
  async function spendWithin({ key }: Slot, budgets: readonly Budget[]): Promise<Entered> {
    const leave = makeLeave(key)
    try {
      return leaveIfRefused({ ...(await spendAlone(budgets)), leave })
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Takes the slot and spends in one round trip; where no slot is free, the arrays are null and nothing is spent. */
  async function enterAlone(slot: Slot, budgets: readonly Budget[]): Promise<Entered | undefined> {
    const { key, limit } = slot
    const holder = await slots.hold()
    const query = sql<SpentRow & { entered: boolean }>`select *
      from (select enter_rate(${key}, ${holder}, ${whole(limit)}, ${clock.now()}) as entered offset 0) slot
      left join lateral spend_rate(
        case when entered then ${keysOf(budgets)}::text[] end, case when entered then ${limitsOf(budgets)}::bigint[] end,
        case when entered then ${windowsOf(budgets)}::bigint[] end, case when entered then ${costsOf(budgets)}::bigint[] end,
        ${clock.now()}) on true`
    const { rows } = await sendAgain(() => query.execute(db)).catch((error) => {
      slots.doubt()
      throw error
    })
    if (!rows[0]!.entered) return undefined
    slots.enter(slot, holder)
    return leaveIfRefused({ ...toSpent(budgets, rows), leave: makeLeave(key) })
  }

  function leaveIfRefused(entered: Entered): Entered {
    if (!entered.allowed) entered.leave()
    return entered
  }

  function toSpent(budgets: readonly Budget[], rows: readonly SpentRow[]): Spent {
    const spent = { allowed: rows.every(({ allowed }) => allowed), states: toStates(budgets, rows) }
    if (!spent.allowed)
      spent.states.forEach(({ key, used, limit, resetAt }, i) => {
        if (used + (budgets[i]!.cost ?? 1) > limit) noteRefused(key, resetAt)
      })
    return spent
  }

  /** Windows are known here from then on, where no other server is there. */
  async function admitAtTable(asked: Asked): Promise<Entered | undefined> {
    const end = own.beginAsking(asked.budgets)
    let entered: Entered | undefined
    try {
      await saving.of(asked.budgets)
      if (store.aloneTerm() === undefined) await slots.writeDown()
      entered = await await admit(asked)
      return entered
    } finally {
      end(entered)
    }
  }

  /** Each by itself where they do not fit together; who is refused then is known by it, and keeps no others up again. */
  const admit = gather<Asked, Promise<Entered | undefined>>(async (asked) => {
    const together = asked.filter((each) => !isToAskAlone(each))
    // Whoever is admitted has caught up: a group does, and who is asked for alone.
    const admitted = together.length > 0 ? await admitGroup(together) : await store.catchUp()
    const answers = new Map(together.map((each, i) => [each, admitted?.[i]]))
    return asked.map(async (each) => answers.get(each) ?? admitAlone(each))
  }, maxGroup)

  const peekAtTable = gather<readonly Budget[], BudgetState[]>(async (asked) => {
    const all = asked.flat()
    await saving.of(all)
    const { rows } = await sql<TallyRow>`select * from peek_rate(
      ${keysOf(all)}::text[], ${windowsOf(all)}::bigint[], ${clock.now()})`.execute(db)
    const states = toStates(all, rows)
    let end = 0
    return asked.map(({ length }) => {
      end += length
      return states.slice(end - length, end)
    })
  }, maxGroup)

  async function peekAndLearn(budgets: readonly Budget[]): Promise<BudgetState[]> {
    const end = own.beginAsking(budgets)
    let states: BudgetState[] | undefined
    try {
      states = await peekAtTable(budgets)
      return states
    } finally {
      end(states && { allowed: true, states })
    }
  }

  /** Whoever is let in has caught up. Where no other server is there, the table is asked for windows that it has not told yet. */
  function admitAny(asked: Asked): Awaitable<Entered | undefined> {
    const { slot, budgets } = asked
    if (store.aloneTerm() === undefined) return admitAtTable(asked)
    if (slot && !slots.enterUnwritten(slot)) return whenKnown(store.catchUp(), () => undefined)
    const leave = slot ? makeLeave(slot.key) : stay
    const spent = own.spend(budgets)
    if (!spent) return admitWithin(budgets, leave)
    saving.soon()
    const entered = leaveIfRefused({ ...spent, leave })
    return whenKnown(store.catchUp(), () => entered)
  }

  /** By one who has a slot. */
  async function admitWithin(budgets: readonly Budget[], leave: () => void): Promise<Entered> {
    try {
      const { allowed, states } = (await admitAtTable({ budgets }))!
      return leaveIfRefused({ allowed, states, leave })
    } catch (error) {
      leave()
      throw error
    }
  }

  store.onStepDown(async () => {
    await Promise.all([saving.all(), slots.writeDown()])
  })

  return {
    spend: (budgets) => whenKnown(admitAny({ slot: undefined, budgets }), (entered) => entered!),
    admit: (slot, budgets) => admitAny({ slot, budgets }),
    peek: (budgets) => own.peek(budgets) ?? peekAndLearn(budgets),
    close: async () => {
      clearTimeout(leavingTimer)
      await saving.close()
      await slots.close()
    },

    async prune() {
      own.prune()
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

/** What met another that waited for it is sent once more. */
const sendAgain = <T>(send: () => Promise<T>): Promise<T> =>
  send().catch((error) => {
    if (!isConflict(error)) throw error
    return send()
  })

const valuesOf = ({ slots, budgets }: RateGroup): unknown[] => [
  slots.map(({ key }) => key),
  slots.map(({ limit }) => whole(limit)),
  slots.map(({ count }) => count),
  keysOf(budgets),
  limitsOf(budgets),
  windowsOf(budgets),
  costsOf(budgets),
]

const readCounts = ({ keys, used, resets }: GroupRow): GroupCounts | undefined =>
  keys ? new Map(keys.map((key, i) => [key, { used: used[i]!, resetAt: resets[i]! }])) : undefined

const keysOf = (budgets: readonly Budget[]) => budgets.map(({ key }) => key)
const limitsOf = (budgets: readonly Budget[]) => budgets.map(({ limit }) => whole(limit))
const costsOf = (budgets: readonly Budget[]) => budgets.map(({ cost = 1 }) => whole(cost))
const windowsOf = (budgets: readonly Budget[]) => budgets.map(({ windowMs }) => whole(windowMs))

/** Rounds to what a bigint can hold; Infinity becomes the largest safe integer. */
const whole = (amount: number): number => Math.max(0, Math.min(Math.round(amount), Number.MAX_SAFE_INTEGER))

const toStates = (budgets: readonly Budget[], rows: readonly TallyRow[]): BudgetState[] =>
  rows.map(({ used, reset_at }, i) => stateOf(budgets[i]!, used, reset_at))
