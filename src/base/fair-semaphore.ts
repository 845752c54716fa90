/**
 * A fair semaphore: so many at a time, and who waits is served in turn, caller by caller. However much one caller has
 * waiting, another's first request is next but for those of other callers. No caller holds more than a part of the slots,
 * so that a slow one does not keep all others out, and some slots are for callers who hold none, so that a few who each
 * have their part do not either.
 */
import { Failure } from './failure.ts'

export type FairSemaphore = <T>(caller: string, act: (slot: Slot) => Promise<T>) => Promise<T>

export type Slot = {
  /** Whether another can have it once the act has ended, which then is up to who asked. */
  giveUpIfWanted(): boolean
}

export type SemaphoreBounds = {
  readonly slots: number
  readonly slotsPerCaller: number
  /** How many of the slots only a caller who holds none may take. */
  readonly reserve?: number
  /** How many may wait, of one caller and in all. */
  readonly queuePerCaller: number
  readonly queue: number
  /** Who waits longer is turned away as well. */
  readonly maxWaitMs?: number
  /** What is waited for, as who is turned away is told. */
  readonly what: string
}

export function makeFairSemaphore({
  slots,
  slotsPerCaller,
  reserve = 0,
  queuePerCaller,
  queue,
  maxWaitMs,
  what,
}: SemaphoreBounds): FairSemaphore {
  let taken = 0
  let waiting = 0
  /** Slots that are given up, and not free yet. */
  let leaving = 0
  const held = new Map<string, number>()
  /** Callers in the order of their turns, each with those who wait. */
  const queues = new Map<string, (() => void)[]>()

  const hasRoom = (takenNow: number, ownNow: number) =>
    takenNow < (ownNow === 0 ? slots : slots - reserve) && ownNow < slotsPerCaller
  const mayEnter = (caller: string) => hasRoom(taken, held.get(caller) ?? 0)

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

  function admitNext(): void {
    for (const [caller, line] of queues) {
      if (!mayEnter(caller)) continue
      const enter = line.shift()!
      waiting--
      // The caller's next turn comes after everybody else's.
      queues.delete(caller)
      if (line.length > 0) queues.set(caller, line)
      count(caller, 1)
      enter()
      return
    }
  }

  function wait(caller: string): Promise<void> {
    const line = queues.get(caller) ?? []
    if (waiting >= queue || line.length >= queuePerCaller) throw busy(what)
    queues.set(caller, line)
    waiting++
    return new Promise((resolve, reject) => {
      const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs)
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      line.push(enter)
      function giveUp(): void {
        waiting--
        line.splice(line.indexOf(enter), 1)
        if (line.length === 0) queues.delete(caller)
        reject(busy(what))
      }
    })
  }

  return async (caller, act) => {
    if (mayEnter(caller)) count(caller, 1)
    else await wait(caller)
    let isGivenUp = false
    const giveUpIfWanted = () => {
      if (isGivenUp || !isWanted(caller)) return isGivenUp
      leaving++
      isGivenUp = true
      return true
    }
    try {
      return await act({ giveUpIfWanted })
    } finally {
      if (isGivenUp) leaving--
      count(caller, -1)
      admitNext()
    }
  }
}

const busy = (what: string) =>
  new Failure('unavailable', 'busy', `Too many requests wait for ${what}: try again in a moment.`, {
    retryAfterSeconds: 2,
  })
