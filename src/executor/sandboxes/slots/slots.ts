/**
 * Slots: a semaphore over concurrent boxes.
 * - The owner with the fewest slots is next; on a tie, the one with the lowest recent use. So a newcomer waits for one
 *   run to end, however many others have long runs; their patience is long but ends.
 * - If there are several slots, no owner holds all of them, since runs are long and the next owner should not wait for
 *   one: the last slot is lent only to short runs (slot-lending.ts).
 * - Between two runs a judging keeps its slot for a moment (slot-keeping.ts), and it gets the same slot again, where
 *   its box is. Each of an owner's judgings gets one slot before any gets two.
 * - A run may ask to be alone: it holds the others back, but all such runs together get at most a quarter of the time
 *   while others wait.
 */
import { makeServiceOrder } from './service-order.ts'
import { makeSlotKeeping } from './slot-keeping.ts'
import { makeSlotLending, type SlotOwner } from './slot-lending.ts'
import { makeSlotUsage } from './slot-usage.ts'

export type Slot = { readonly number: number; ranConcurrently(): boolean; release(): void }

export type Slots = {
  readonly count: number
  take(options?: SlotRequest): Promise<Slot>
  /**
   * Until the returned function is called, the judging's runs follow one another: a slot that one leaves is kept for
   * the next.
   */
  expectRuns(judging: SlotOwner): () => void
}

export type SlotRequest = {
  readonly isExclusive?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** The owner of the run; without one it is an owner of its own. */
  readonly owner?: SlotOwner | undefined
  /** The judging of the run; without one, all runs of the owner belong to one. */
  readonly judging?: SlotOwner | undefined
  /** The longest time that the run can take. */
  readonly mostMs?: number | undefined
  /** Goes after all others; if there are several slots, such runs together never hold the last one. */
  readonly isBehind?: boolean | undefined
}

type Waiter = {
  readonly isExclusive: boolean
  readonly owner: SlotOwner
  readonly judging: SlotOwner
  readonly mostMs: number
  readonly isBehind: boolean
  readonly since: number
  grant(slot: Slot): void
}
type Run = {
  isConcurrent: boolean
  readonly owner: SlotOwner
  readonly judging: SlotOwner
  readonly isBehind: boolean
  readonly startedAt: number
}

/** Additional slots for long work. */
export const slowSlotCount = 2

/** After a run alone, the others get this multiple of its time before the next. */
const othersShare = 3
/** A judging continues in its slot until it has used this much more than the next owner: most are finished by then. */
const aheadMs = 1_000

export function makeSlots(count: number, now: () => number = () => performance.now()): Slots {
  const free = Array.from({ length: count }, (_, number) => number)
  /** By slot: the judging of its last run. */
  const lastIn: (SlotOwner | undefined)[] = []
  const running = new Set<Run>()
  const held = new Map<SlotOwner, number>()
  const mostHeld = Math.max(1, count - 1)
  const usage = makeSlotUsage(now)
  const order = makeServiceOrder<SlotOwner>()
  const lending = makeSlotLending(now)
  const keeping = makeSlotKeeping((number) => {
    free.push(number)
    advance()
  })
  const waiting: Waiter[] = []
  const waitingExclusive: Waiter[] = []
  let isTakenExclusively = false
  let nextExclusiveAt = 0

  const heldBy = (owner: SlotOwner) => held.get(owner) ?? 0
  const startsOf = (owner: SlotOwner) =>
    [...running].filter((run) => run.owner === owner).map(({ startedAt }) => startedAt)
  const usedBy = (owner: SlotOwner) =>
    startsOf(owner).reduce((sum, startedAt) => sum + now() - startedAt, usage.of(owner))
  const isDue = ({ owner, since }: Waiter) => heldBy(owner) === 0 && now() - since >= usage.patienceOf(owner)
  const countRuns = (judging: SlotOwner) => [...running].filter((run) => run.judging === judging).length
  const isBefore = (a: Waiter, b: Waiter) => {
    if (a.isBehind !== b.isBehind) return b.isBehind
    const [one, other] = [a.owner, b.owner]
    if (one === other) return countRuns(a.judging) < countRuns(b.judging)
    if (isDue(a) !== isDue(b)) return isDue(a)
    return (
      (heldBy(one) - heldBy(other) || usedBy(one) - usedBy(other) || order.servedAt(one) - order.servedAt(other)) < 0
    )
  }
  const countBehind = () => [...running].filter(({ isBehind }) => isBehind).length
  const mayHaveMore = ({ owner, mostMs, isBehind }: Waiter): boolean =>
    isBehind
      ? countBehind() < mostHeld
      : heldBy(owner) < mostHeld || (count > 1 && lending.mayBorrow(owner, mostMs, startsOf(owner)))
  const findNext = (line: readonly Waiter[]): Waiter | undefined => {
    let best: Waiter | undefined
    for (const waiter of line) {
      if ((!best || isBefore(waiter, best)) && mayHaveMore(waiter)) best = waiter
    }
    return best
  }
  const isExclusiveNext = () => waitingExclusive.length > 0 && (waiting.length === 0 || now() >= nextExclusiveAt)

  /** Whether another run of this judging may follow in its slot, before the next waiting one. */
  const mayGoOn = ({ owner, judging, isBehind }: Run): boolean => {
    const next = findNext(waiting)
    if (!next || next.judging === judging || isExclusiveNext() || isBehind) return false
    if (next.owner === owner) return countRuns(judging) === 0 && keeping.usedBy(judging) < aheadMs
    if (isDue(next) || heldBy(owner) >= mostHeld) return false
    const fewer = heldBy(next.owner) - heldBy(owner)
    return fewer > 0 || (fewer === 0 && usedBy(owner) < usedBy(next.owner) + aheadMs)
  }

  const start = (waiter: Waiter, number: number) => {
    const { owner, judging, isExclusive, isBehind } = waiter
    const startedAt = now()
    const run: Run = { isConcurrent: running.size > 0, owner, judging, isBehind, startedAt }
    lastIn[number] = judging
    for (const other of running) other.isConcurrent = true
    running.add(run)
    held.set(owner, heldBy(owner) + 1)
    order.remember(owner)
    isTakenExclusively = isExclusive
    waiter.grant({
      number,
      ranConcurrently: () => run.isConcurrent,
      release() {
        if (!running.delete(run)) return
        const tookMs = now() - startedAt
        lending.note(owner, tookMs)
        usage.note(owner, tookMs, isExclusive ? count : 1)
        keeping.note(judging, tookMs)
        const stillHeld = heldBy(owner) - 1
        if (stillHeld > 0) held.set(owner, stillHeld)
        else held.delete(owner)
        if (isExclusive) nextExclusiveAt = now() + othersShare * tookMs
        isTakenExclusively = false
        if (!mayGoOn(run) || !keeping.keep(number, judging)) free.push(number)
        advance()
      },
    })
  }

  const takeNext = (): { waiter: Waiter; number: number } | undefined => {
    const isExclusive = isExclusiveNext()
    const line = isExclusive ? waitingExclusive : waiting
    if (isExclusive) {
      free.push(...keeping.giveUp())
      if (running.size > 0) return undefined
    }
    const kept = isExclusive
      ? undefined
      : line.find((waiter) => keeping.isKeptFor(waiter.judging) && mayHaveMore(waiter))
    const waiter = kept ?? (free.length > 0 ? findNext(line) : undefined)
    if (!waiter) return undefined
    line.splice(line.indexOf(waiter), 1)
    return { waiter, number: kept ? keeping.take(kept.judging) : takeFree(waiter.judging) }
  }

  /** The judging's last slot, otherwise one to which no other judging will return. */
  const takeFree = (judging: SlotOwner): number => {
    const own = free.findIndex((number) => lastIn[number] === judging)
    const unused = free.findIndex((number) => !keeping.isExpected(lastIn[number]))
    return free.splice(Math.max(0, own >= 0 ? own : unused), 1)[0]!
  }

  const advance = () => {
    while (!isTakenExclusively) {
      const next = takeNext()
      if (!next) return
      start(next.waiter, next.number)
    }
  }

  return {
    count,
    expectRuns: keeping.expect,
    take({
      isExclusive = false,
      signal,
      owner = Symbol('nobody else'),
      mostMs = Number.POSITIVE_INFINITY,
      ...rest
    } = {}) {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          isExclusive,
          owner,
          judging: rest.judging ?? owner,
          mostMs,
          isBehind: rest.isBehind ?? false,
          since: now(),
          grant(slot) {
            signal?.removeEventListener('abort', leave)
            resolve(slot)
          },
        }
        const line = isExclusive ? waitingExclusive : waiting
        const leave = () => {
          const place = line.indexOf(waiter)
          if (place >= 0) line.splice(place, 1)
          reject(signal!.reason)
          advance()
        }
        if (signal?.aborted) return reject(signal.reason)
        signal?.addEventListener('abort', leave, { once: true })
        line.push(waiter)
        advance()
      })
    },
  }
}
