/**
 * Slots: a semaphore over concurrent boxes. Whoever holds the fewest is next, and among equals whoever was served longest
 * ago; where there are several, nobody holds them all, since runs are long and the next to come shall not wait for one: the
 * last one is lent to short runs alone (slot-lending.ts). A run may ask to be the only one: it holds the others back, but all
 * that do so together for a quarter of the time at most while others wait.
 */

import { makeServiceOrder } from './service-order.ts'
import { makeSlotLending, type SlotOwner } from './slot-lending.ts'

export type Slot = { readonly number: number; ranConcurrently(): boolean; release(): void }

export type Slots = {
  readonly count: number
  take(options?: SlotRequest): Promise<Slot>
}

export type SlotRequest = {
  readonly alone?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** Whose run it is; without one it is nobody else's. */
  readonly owner?: SlotOwner | undefined
  /** When the run is ended at the latest. */
  readonly mostMs?: number | undefined
}

type Waiter = { readonly alone: boolean; readonly owner: SlotOwner; readonly mostMs: number; grant(slot: Slot): void }

/** Beside the slots, for what takes long. */
export const slowSlotCount = 2

/** After a run alone, the others have this many times as long before the next. */
const othersShare = 3

export function makeSlots(count: number, now: () => number = () => performance.now()): Slots {
  const free = Array.from({ length: count }, (_, number) => number)
  const running = new Set<{ isConcurrent: boolean; readonly owner: SlotOwner; readonly startedAt: number }>()
  const held = new Map<SlotOwner, number>()
  const mostHeld = Math.max(1, count - 1)
  const order = makeServiceOrder<SlotOwner>()
  const lending = makeSlotLending(now)
  const waiting: Waiter[] = []
  const waitingAlone: Waiter[] = []
  let isTakenAlone = false
  let nextAloneAt = 0

  const heldBy = ({ owner }: Waiter) => held.get(owner) ?? 0
  const isBefore = (one: Waiter, other: Waiter) =>
    (heldBy(one) - heldBy(other) || order.servedAt(one.owner) - order.servedAt(other.owner)) < 0
  const mayHaveMore = (waiter: Waiter): boolean => {
    if (heldBy(waiter) < mostHeld) return true
    const own = [...running].filter(({ owner }) => owner === waiter.owner).map(({ startedAt }) => startedAt)
    return count > 1 && lending.mayBorrow(waiter.owner, waiter.mostMs, own)
  }
  const takeNext = (line: Waiter[]): Waiter | undefined => {
    let best: Waiter | undefined
    for (const waiter of line) {
      if ((!best || isBefore(waiter, best)) && mayHaveMore(waiter)) best = waiter
    }
    if (best) line.splice(line.indexOf(best), 1)
    return best
  }

  const start = (waiter: Waiter) => {
    const number = free.shift()!
    const startedAt = now()
    const run = { isConcurrent: running.size > 0, owner: waiter.owner, startedAt }
    for (const other of running) other.isConcurrent = true
    running.add(run)
    held.set(waiter.owner, heldBy(waiter) + 1)
    order.remember(waiter.owner)
    isTakenAlone = waiter.alone
    waiter.grant({
      number,
      ranConcurrently: () => run.isConcurrent,
      release() {
        if (!running.delete(run)) return
        free.push(number)
        lending.note(waiter.owner, now() - startedAt)
        const stillHeld = heldBy(waiter) - 1
        if (stillHeld > 0) held.set(waiter.owner, stillHeld)
        else held.delete(waiter.owner)
        if (waiter.alone) nextAloneAt = now() + othersShare * (now() - startedAt)
        isTakenAlone = false
        advance()
      },
    })
  }

  const advance = () => {
    while (!isTakenAlone) {
      const isAloneNext = waitingAlone.length > 0 && (waiting.length === 0 || now() >= nextAloneAt)
      if (isAloneNext && running.size > 0) return
      const next = isAloneNext ? takeNext(waitingAlone) : free.length > 0 ? takeNext(waiting) : undefined
      if (!next) return
      start(next)
    }
  }

  return {
    count,
    take({ alone = false, signal, owner = Symbol('nobody else'), mostMs = Number.POSITIVE_INFINITY } = {}) {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          alone,
          owner,
          mostMs,
          grant(slot) {
            signal?.removeEventListener('abort', leave)
            resolve(slot)
          },
        }
        const line = alone ? waitingAlone : waiting
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
