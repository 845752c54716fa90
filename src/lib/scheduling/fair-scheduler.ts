/**
 * The fair scheduler: bounds the number of concurrent acts, in all and per caller; the others wait. A caller who holds
 * no slot comes before one who does, and among them whoever has used the least recently. A caller's own acts wait in
 * order, member by member, the member with the least use first. Some slots may be reserved for callers who hold none,
 * and heavy users may be kept to a part, so that slow callers leave room for others. The queue is bounded: when it is
 * full, acts are refused, except that a caller with nothing in it takes the last place of whoever has the most.
 */
import { Failure } from '../failure.ts'
import { makeRecentUsage } from './recent-usage.ts'
import { makeWaitingLine, type WaitingLine } from './waiting-line.ts'

export type FairScheduler = {
  /** Runs the act in a slot: at once if one is free, else in the caller's turn. */
  run<T>(caller: string, act: (slot: Slot) => Promise<T>, asking?: Asking): Promise<T>
  /** The same for acts that end elsewhere: whoever takes a slot must release it. */
  take(caller: string, asking?: Asking): Promise<HeldSlot>
  /** Changes the number of slots; excess slots that are held end as they are released. */
  resize(slots: number): void
  /** Refuses everybody who waits. */
  refuseAll(error: Error): void
  /** The number of waiting acts. */
  waitingCount(): number
  /** How long the first waiting act has waited. */
  waitedMs(): number
}

export type Asking = {
  /** On whose behalf the caller asks; a caller's waiting acts are served member by member. */
  readonly member?: string
  /** A resource besides the slot with its own bound across callers, such as a host that is called. */
  readonly group?: string | undefined
  /** Aborting rejects a waiting act with the signal's reason; a running act must see to itself. */
  readonly signal?: AbortSignal | undefined
}

export type Slot = {
  /** Answers whether another wants this slot; if so, the holder has to end its act. */
  giveUpIfWanted(): boolean
  /** Sets the use that counts for the act, if it is less than the time it holds the slot. */
  countUsed(ms: number): void
}

export type HeldSlot = Slot & {
  /** Calling it again does nothing. */
  release(): void
}

export type SchedulerBounds = {
  readonly slots: number
  /** All slots by default. */
  readonly slotsPerCaller?: number
  readonly slotsPerGroup?: number
  /** Slots that only a caller who holds none may take. */
  readonly reserve?: number
  /**
   * Callers with more than `afterMs` of recent use hold at most this many slots together, and each of them at most
   * `slotsPerCaller`.
   */
  readonly heavy?: { readonly afterMs: number; readonly slots: number; readonly slotsPerCaller?: number }
  /** Bounds on waiting acts, per caller and in all; leave them out only if something else bounds the queue. */
  readonly queuePerCaller?: number
  readonly queue?: number
  /** Acts that wait longer are refused as well. */
  readonly maxWaitMs?: number
  /** The noun in the refusal's message, or a function that makes the refusal. */
  readonly what: string | (() => Error)
  /** The clock for the time that slots are held, in ms. */
  readonly now?: () => number
}

type Waiter = {
  readonly member: string
  readonly group: string | undefined
  readonly since: number
  enter(slot: HeldSlot): void
  refuse(reason: unknown): void
}
type Line = WaitingLine<Waiter>

export function makeFairScheduler({
  slots: initialSlots,
  slotsPerCaller = Number.POSITIVE_INFINITY,
  slotsPerGroup = Number.POSITIVE_INFINITY,
  reserve = 0,
  heavy,
  queuePerCaller = Number.POSITIVE_INFINITY,
  queue = Number.POSITIVE_INFINITY,
  maxWaitMs,
  what,
  now = () => performance.now(),
}: SchedulerBounds): FairScheduler {
  const refusal = typeof what === 'string' ? () => busy(what) : what
  let slots = initialSlots
  let taken = 0
  let waiting = 0
  /** Slots that are given up, but not released yet. */
  let leaving = 0
  let heavyHeld = 0
  const held = new Map<string, number>()
  const heldInGroup = new Map<string, number>()
  const usage = makeRecentUsage(now)
  const memberUsage = makeRecentUsage(now)
  /** Callers in the order of their turns, each with its waiting acts. */
  const lines = new Map<string, Line>()

  const hasSpace = (takenNow: number, ownNow: number) =>
    takenNow < (ownNow === 0 ? slots : slots - reserve) && ownNow < slotsPerCaller
  const isHeavy = (caller: string) => heavy !== undefined && usage.of(caller) > heavy.afterMs
  const hasHeavyRoom = (own: number) => heavyHeld < heavy!.slots && own < (heavy!.slotsPerCaller ?? slotsPerCaller)
  const isGroupFree = ({ group }: Pick<Asking, 'group'>) =>
    group === undefined || (heldInGroup.get(group) ?? 0) < slotsPerGroup
  const isCallerFree = (caller: string) => {
    const own = held.get(caller) ?? 0
    return hasSpace(taken, own) && (!isHeavy(caller) || hasHeavyRoom(own))
  }

  /** Whether anybody who waits could enter if this caller held one slot less. */
  function isWanted(caller: string): boolean {
    if (leaving >= waiting) return false
    for (const waiter of lines.keys()) {
      const own = (held.get(waiter) ?? 0) - (waiter === caller ? 1 : 0)
      if (hasSpace(taken - 1, own)) return true
    }
    return false
  }

  function count(counts: Map<string, number>, key: string, step: 1 | -1): void {
    const now = (counts.get(key) ?? 0) + step
    if (now > 0) counts.set(key, now)
    else counts.delete(key)
  }

  function findNext() {
    let next: { caller: string; waiter: Waiter; holds: boolean; used: number } | undefined
    for (const [caller, line] of lines) {
      if (!isCallerFree(caller)) continue
      const waiter = line.findFirst(isGroupFree, (member) => memberUsage.of(nameMember(caller, member)))
      if (!waiter) continue
      const other = { caller, waiter, holds: held.has(caller), used: usage.of(caller) }
      if (!next || (next.holds === other.holds ? other.used < next.used : next.holds)) next = other
    }
    return next
  }

  function admitNext(): boolean {
    const next = findNext()
    if (!next) return false
    const { caller, waiter } = next
    const line = lines.get(caller)!
    line.take(waiter)
    waiting--
    // Among equals, the caller's next turn comes after everybody else's.
    lines.delete(caller)
    if (line.length > 0) lines.set(caller, line)
    waiter.enter(hold(caller, waiter))
    return true
  }

  function admitAll(): void {
    while (waiting > 0 && admitNext());
  }

  function forget(caller: string, line: Line, waiter: Waiter): void {
    waiting--
    line.remove(waiter)
    if (line.length === 0) lines.delete(caller)
  }

  /** Makes room in a full queue for a caller who has nothing here, if another has more than one waiting. */
  function makePlace(caller: string): boolean {
    if (lines.has(caller) || held.has(caller)) return false
    let longest: [string, Line] | undefined
    for (const entry of lines) if (entry[1].length > (longest?.[1].length ?? 1)) longest = entry
    if (!longest) return false
    const last = longest[1].last
    forget(...longest, last)
    last.refuse(refusal())
    return true
  }

  function wait(caller: string, { member = '', group, signal }: Asking): Promise<HeldSlot> {
    const line = lines.get(caller) ?? makeWaitingLine<Waiter>()
    if (line.length >= queuePerCaller) throw refusal()
    if (waiting >= queue && !makePlace(caller)) throw refusal()
    lines.set(caller, line)
    waiting++
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        forget(caller, line, waiter)
        waiter.refuse(reason)
      }
      const abort = () => leave(signal!.reason)
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave(refusal()), maxWaitMs)
      const settle = <T>(settleWith: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
          settleWith(value)
        }
      }
      const waiter: Waiter = { member, group, since: now(), enter: settle(resolve), refuse: settle(reject) }
      line.add(waiter)
      signal?.addEventListener('abort', abort)
    })
  }

  function hold(caller: string, { member, group }: Asking): HeldSlot {
    taken++
    count(held, caller, 1)
    if (group !== undefined) count(heldInGroup, group, 1)
    const startedAt = now()
    const isHeavyNow = isHeavy(caller)
    if (isHeavyNow) heavyHeld++
    let [isReleased, isGivenUp] = [false, false]
    let usedMs: number | undefined
    return {
      giveUpIfWanted() {
        if (isGivenUp || !isWanted(caller)) return isGivenUp
        leaving++
        isGivenUp = true
        return true
      },
      countUsed(ms) {
        usedMs = ms
      },
      release() {
        if (isReleased) return
        isReleased = true
        const used = usedMs ?? now() - startedAt
        usage.add(caller, used)
        if (member) memberUsage.add(nameMember(caller, member), used)
        if (isHeavyNow) heavyHeld--
        if (isGivenUp) leaving--
        taken--
        count(held, caller, -1)
        if (group !== undefined) count(heldInGroup, group, -1)
        admitAll()
      },
    }
  }

  const enter = (caller: string, asking: Asking): HeldSlot | undefined =>
    isCallerFree(caller) && isGroupFree(asking) ? hold(caller, asking) : undefined

  return {
    async run(caller, act, asking = {}) {
      asking.signal?.throwIfAborted()
      const slot = enter(caller, asking) ?? (await wait(caller, asking))
      try {
        return await act(slot)
      } finally {
        slot.release()
      }
    },

    async take(caller, asking = {}) {
      asking.signal?.throwIfAborted()
      return enter(caller, asking) ?? wait(caller, asking)
    },

    resize(most) {
      slots = most
      admitAll()
    },

    refuseAll(error) {
      for (const [caller, line] of lines)
        while (line.length > 0) {
          const { last } = line
          forget(caller, line, last)
          last.refuse(error)
        }
    },

    waitingCount: () => waiting,

    waitedMs() {
      let since = Number.POSITIVE_INFINITY
      for (const line of lines.values()) since = Math.min(since, line.since)
      return since < Number.POSITIVE_INFINITY ? now() - since : 0
    },
  }
}

const nameMember = (caller: string, member: string) => `${caller}\n${member}`

const busy = (what: string) =>
  new Failure('unavailable', 'busy', `Too many requests wait for ${what}: try again in a moment.`, {
    retryAfterSeconds: 2,
  })
