/**
 * A fair semaphore: so many at a time, and who waits is served in turn, caller by caller. However much one caller has
 * waiting, another's first request is next but for those of other callers: those who hold no slot come before those who
 * do, and those who have used less of late before those who have used more. No caller holds more than a part of the slots,
 * so that a slow one does not keep all others out, and some slots are for callers who hold none, so that a few who each
 * have their part do not either. Nor do those who fill the queue: a caller who has nothing there takes the last place of
 * whoever has the most.
 */
import { Failure } from './failure.ts'
import { makeRecentUsage } from './recent-usage.ts'

export type FairSemaphore = <T>(caller: string, act: (slot: Slot) => Promise<T>, asking?: Asking) => Promise<T>

export type Asking = {
  /** On whose behalf the caller asks; what a caller has waiting is served member by member. */
  readonly member?: string
  /** Who is no longer wanted leaves the queue, and is rejected with the signal's reason; an act that has begun sees to itself. */
  readonly signal?: AbortSignal | undefined
}

export type Slot = {
  /** Whether another can have it once the act has ended, which then is up to who asked. */
  giveUpIfWanted(): boolean
  /** What counts as used by the act, where that is not all the time it has the slot. */
  countUsed(ms: number): void
}

export type SemaphoreBounds = {
  readonly slots: number
  readonly slotsPerCaller: number
  /** How many of the slots only a caller who holds none may take. */
  readonly reserve?: number
  /** How many of the slots those may hold together who have used more than so much of late. */
  readonly heavy?: { readonly afterMs: number; readonly slots: number }
  /** How many may wait, of one caller and in all. */
  readonly queuePerCaller: number
  readonly queue: number
  /** Who waits longer is turned away as well. */
  readonly maxWaitMs?: number
  /** What is waited for, as who is turned away is told. */
  readonly what: string
  /** The clock by which slots are held, in ms. */
  readonly now?: () => number
}

type Waiter = { readonly member: string; enter(): void; turnAway(reason?: unknown): void }

export function makeFairSemaphore({
  slots,
  slotsPerCaller,
  reserve = 0,
  heavy,
  queuePerCaller,
  queue,
  maxWaitMs,
  what,
  now = () => performance.now(),
}: SemaphoreBounds): FairSemaphore {
  let taken = 0
  let waiting = 0
  /** Slots that are given up, and not free yet. */
  let leaving = 0
  let heavyHeld = 0
  const held = new Map<string, number>()
  const usage = makeRecentUsage(now)
  /** Callers in the order of their turns, each with those who wait. */
  const queues = new Map<string, Line>()

  const hasRoom = (takenNow: number, ownNow: number) =>
    takenNow < (ownNow === 0 ? slots : slots - reserve) && ownNow < slotsPerCaller
  const isHeavy = (caller: string) => heavy !== undefined && usage.of(caller) > heavy.afterMs
  const mayEnter = (caller: string) =>
    hasRoom(taken, held.get(caller) ?? 0) && (heavyHeld < (heavy?.slots ?? slots) || !isHeavy(caller))

  /** Whether anybody who waits could enter if this caller held one less. */
  function isWanted(caller: string): boolean {
    if (leaving >= waiting) return false
    for (const waiter of queues.keys()) {
      const own = (held.get(waiter) ?? 0) - (waiter === caller ? 1 : 0)
      if (hasRoom(taken - 1, own)) return true
    }
    return false
  }

  function count(caller: string, step: 1 | -1): void {
    taken += step
    const now = (held.get(caller) ?? 0) + step
    if (now > 0) held.set(caller, now)
    else held.delete(caller)
  }

  function findNext(): string | undefined {
    let next: { caller: string; holds: boolean; used: number } | undefined
    for (const caller of queues.keys()) {
      if (!mayEnter(caller)) continue
      const other = { caller, holds: held.has(caller), used: usage.of(caller) }
      if (!next || (next.holds === other.holds ? other.used < next.used : next.holds)) next = other
    }
    return next?.caller
  }

  function admitNext(): void {
    const caller = findNext()
    if (caller === undefined) return
    const line = queues.get(caller)!
    const next = line.takeFirst()
    waiting--
    // Among equals the caller's next turn comes after everybody else's.
    queues.delete(caller)
    if (line.length > 0) queues.set(caller, line)
    count(caller, 1)
    next.enter()
  }

  function forget(caller: string, line: Line, waiter: Waiter): void {
    waiting--
    line.remove(waiter)
    if (line.length === 0) queues.delete(caller)
  }

  /** Makes place for a caller who has nothing here, where another has more than one waiting. */
  function makePlace(caller: string): boolean {
    if (queues.has(caller) || held.has(caller)) return false
    let longest: [string, Line] | undefined
    for (const entry of queues) if (entry[1].length > (longest?.[1].length ?? 1)) longest = entry
    if (!longest) return false
    const last = longest[1].last
    forget(...longest, last)
    last.turnAway()
    return true
  }

  function wait(caller: string, { member = '', signal }: Asking): Promise<void> {
    const line = queues.get(caller) ?? makeLine()
    if (line.length >= queuePerCaller) throw busy(what)
    if (waiting >= queue && !makePlace(caller)) throw busy(what)
    queues.set(caller, line)
    waiting++
    return new Promise((resolve, reject) => {
      const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs)
      const waiter: Waiter = {
        member,
        enter() {
          stopWatching()
          resolve()
        },
        turnAway(reason = busy(what)) {
          stopWatching()
          reject(reason)
        },
      }
      line.add(waiter)
      signal?.addEventListener('abort', leave)
      function stopWatching(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      function giveUp(): void {
        forget(caller, line, waiter)
        waiter.turnAway()
      }
      function leave(): void {
        forget(caller, line, waiter)
        waiter.turnAway(signal!.reason)
      }
    })
  }

  return async (caller, act, asking = {}) => {
    asking.signal?.throwIfAborted()
    if (mayEnter(caller)) count(caller, 1)
    else await wait(caller, asking)
    let isGivenUp = false
    const giveUpIfWanted = () => {
      if (isGivenUp || !isWanted(caller)) return isGivenUp
      leaving++
      isGivenUp = true
      return true
    }
    const startedAt = now()
    let usedMs: number | undefined
    const countUsed = (ms: number) => {
      usedMs = ms
    }
    const isHeavyNow = isHeavy(caller)
    if (isHeavyNow) heavyHeld++
    try {
      return await act({ giveUpIfWanted, countUsed })
    } finally {
      usage.add(caller, usedMs ?? now() - startedAt)
      if (isHeavyNow) heavyHeld--
      if (isGivenUp) leaving--
      count(caller, -1)
      admitNext()
    }
  }
}

type Line = ReturnType<typeof makeLine>

/** Those of one caller who wait, served member by member. */
function makeLine() {
  const members = new Map<string, Waiter[]>()
  /** In the order they came, for whoever came last. */
  const all = new Set<Waiter>()

  function drop(waiter: Waiter): void {
    all.delete(waiter)
    const own = members.get(waiter.member)!
    own.splice(own.indexOf(waiter), 1)
    if (own.length === 0) members.delete(waiter.member)
  }

  return {
    get length(): number {
      return all.size
    },
    get last(): Waiter {
      return [...all].at(-1)!
    },
    add(waiter: Waiter): void {
      all.add(waiter)
      const own = members.get(waiter.member)
      if (own) own.push(waiter)
      else members.set(waiter.member, [waiter])
    },
    remove: drop,
    takeFirst(): Waiter {
      const [member, own] = members.entries().next().value!
      const first = own[0]!
      drop(first)
      // The member's next turn comes after those of the others.
      if (own.length > 0) {
        members.delete(member)
        members.set(member, own)
      }
      return first
    },
  }
}

const busy = (what: string) =>
  new Failure('unavailable', 'busy', `Too many requests wait for ${what}: try again in a moment.`, {
    retryAfterSeconds: 2,
  })
