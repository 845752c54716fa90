/**
 * Stops half-sent bodies and unread answers from filling the memory: a byte budget, per caller and in all. A caller who
 * finds no room waits a little; those who hold least come first. Meanwhile clients that have neither sent nor read
 * anything for a while are disconnected, the longest silent first, to free their bytes.
 */
import type { Actor } from '../accounts/actor.ts'
import { Failure } from '../lib/failure.ts'
import { networkOf } from '../lib/network.ts'

export type ByteBudget = {
  /** `disconnect`: disconnects a client that is silent while others wait; without it the hold is never ended this way. */
  hold(caller: string, disconnect?: () => void): Hold
  /** Bytes held now. */
  readonly held: number
}

/** Bytes in memory, and bytes in files of unfinished uploads. */
export type Budgets = { readonly memory: ByteBudget; readonly files: ByteBudget }

export type Hold = {
  /** Takes more bytes: at once if there is room. Fails if there is still none after a while. */
  take(bytes: number): Promise<void> | undefined
  /** The same for bytes in memory already: throws at once if there is no room, and the caller drops them. */
  takeNow(bytes: number): void
  /** Frees bytes that the client has read. */
  give(bytes: number): void
  /** The client has sent or read something. */
  move(): void
  /** Frees everything. */
  release(): void
}

export type BudgetBounds = {
  readonly inAll: number
  readonly perCaller: number
  /** How long to wait for room, and how long a client may be silent while others wait. */
  readonly patienceMs?: number
  readonly silentMs?: number
  readonly now?: () => number
}

/** Shorter bodies and answers are not counted. */
export const countedBytes = 64 * 1024

/** Whose budget is charged: the account's, or the network's for anonymous callers. */
export const payerOf = ({ account, address }: Pick<Actor, 'account' | 'address'>): string =>
  account ? `account:${account.id}` : networkOf(address)

const lookMs = 250

type Held = { readonly caller: string; bytes: number; movedAt: number; readonly disconnect: (() => void) | undefined }
type Waiter = { readonly held: Held; readonly bytes: number; enter(): void; turnAway(): void; readonly until: number }

export function makeByteBudget(bounds: BudgetBounds): ByteBudget {
  const { inAll, perCaller, patienceMs = 10_000, silentMs = 10_000, now = () => performance.now() } = bounds
  const holds = new Set<Held>()
  const byCaller = new Map<string, number>()
  let waiters: Waiter[] = []
  let total = 0
  let looking: NodeJS.Timeout | undefined

  const ownOf = (caller: string) => byCaller.get(caller) ?? 0
  const isOwnFault = ({ caller }: Held, bytes: number) => ownOf(caller) + bytes > perCaller
  const hasSpace = (held: Held, bytes: number) => total + bytes <= inAll && !isOwnFault(held, bytes)

  function add(held: Held, bytes: number): void {
    total += bytes
    held.bytes += bytes
    const own = ownOf(held.caller) + bytes
    if (own > 0) byCaller.set(held.caller, own)
    else byCaller.delete(held.caller)
  }

  function release(held: Held): void {
    if (!holds.delete(held)) return
    add(held, -held.bytes)
    for (const waiter of waiters.filter((one) => one.held === held)) leave(waiter).turnAway()
    admit()
  }

  function leave(waiter: Waiter): Waiter {
    waiters = waiters.filter((one) => one !== waiter)
    return waiter
  }

  function admit(): void {
    const byNeed = waiters.toSorted((a, b) => ownOf(a.held.caller) - ownOf(b.held.caller))
    for (const waiter of byNeed) {
      if (!hasSpace(waiter.held, waiter.bytes)) continue
      add(waiter.held, waiter.bytes)
      leave(waiter).enter()
    }
    if (waiters.length === 0) {
      clearInterval(looking)
      looking = undefined
    }
  }

  /** Disconnects silent clients one at a time, the longest silent first, of callers whose bytes the waiters need. */
  function look(): void {
    const at = now()
    for (const waiter of waiters) if (waiter.until <= at) leave(waiter).turnAway()
    const isWaiting = new Set(waiters.map(({ held }) => held))
    const ownFaults = new Set(waiters.flatMap(({ held, bytes }) => (isOwnFault(held, bytes) ? held.caller : [])))
    const isAllFull = waiters.some(({ held, bytes }) => !isOwnFault(held, bytes))
    const silent = [...holds]
      .filter((held) => held.disconnect && held.bytes > 0 && !isWaiting.has(held) && held.movedAt <= at - silentMs)
      .filter(({ caller }) => isAllFull || ownFaults.has(caller))
      .sort((a, b) => a.movedAt - b.movedAt)
    for (const held of silent) {
      if (waiters.length === 0) break
      release(held)
      held.disconnect!()
    }
    admit()
  }

  function wait(held: Held, bytes: number): Promise<void> {
    const isOwn = isOwnFault(held, bytes)
    if (bytes > perCaller || bytes > inAll) return Promise.reject(full(isOwn))
    looking ??= setInterval(look, lookMs)
    return new Promise((resolve, reject) => {
      waiters.push({
        held,
        bytes,
        until: now() + patienceMs,
        enter() {
          held.movedAt = now()
          resolve()
        },
        turnAway: () => reject(full(isOwn)),
      })
      look()
    })
  }

  return {
    get held() {
      return total
    },
    hold(caller, disconnect) {
      const held: Held = { caller, bytes: 0, movedAt: now(), disconnect }
      holds.add(held)
      return {
        take(bytes) {
          held.movedAt = now()
          if (!holds.has(held)) return Promise.reject(full(false))
          if (!hasSpace(held, bytes)) return wait(held, bytes)
          add(held, bytes)
          return undefined
        },
        takeNow(bytes) {
          held.movedAt = now()
          if (!holds.has(held) || !hasSpace(held, bytes)) throw full(isOwnFault(held, bytes))
          add(held, bytes)
        },
        give(bytes) {
          held.movedAt = now()
          if (!holds.has(held)) return
          add(held, -bytes)
          admit()
        },
        move() {
          held.movedAt = now()
        },
        release: () => release(held),
      }
    },
  }
}

const retryAfterSeconds = 5

const full = (isOwn: boolean): Failure =>
  isOwn
    ? new Failure(
        'limited',
        'bytes-held',
        'You have too many unfinished uploads and downloads: finish some of them first.',
        {
          retryAfterSeconds,
        },
      )
    : new Failure(
        'unavailable',
        'bytes-held',
        'The server is busy with uploads and downloads: try again in a moment.',
        {
          retryAfterSeconds,
        },
      )
