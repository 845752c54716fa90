/**
 * Rate counts in this process's memory, for SQLite, which has one server process. Nothing here awaits, so the counts
 * are exact.
 */
import type { Clock } from '../../lib/clock.ts'
import { makeHeldSlots } from './held-slots.ts'
import { type Budget, type BudgetState, type RateCounts, type Spent, stateOf } from './rate-counts.ts'

type Window = { used: number; resetAt: number }

const sweepEveryMs = 30_000
/** A full map is reduced to this share at once, because evicting for each new window would be slow. */
const fullTo = 7 / 8

export function makeRateMemory({ clock, maxKeys }: { clock: Clock; maxKeys: number }): RateCounts {
  const windows = new Map<string, Window>()
  const slots = makeHeldSlots()
  let sweptAt = clock.now()

  function findLive(key: string, now: number): Window | undefined {
    const window = windows.get(key)
    return window && window.resetAt > now ? window : undefined
  }

  const fits = ({ key, limit, cost = 1 }: Budget, now: number): boolean =>
    (findLive(key, now)?.used ?? 0) + cost <= limit

  function look(budget: Budget, now: number): BudgetState {
    const live = findLive(budget.key, now)
    return live ? stateOf(budget, live.used, live.resetAt) : stateOf(budget, 0, now + budget.windowMs)
  }

  function count(budget: Budget, now: number): BudgetState {
    const { key, windowMs, cost = 1 } = budget
    const window = findLive(key, now) ?? start(key, now + windowMs, now)
    window.used += cost
    return stateOf(budget, window.used, window.resetAt)
  }

  function start(key: string, resetAt: number, now: number): Window {
    // Deleted first, so that the map stays in the order in which windows started.
    windows.delete(key)
    makeRoom(now)
    const window = { used: 0, resetAt }
    windows.set(key, window)
    return window
  }

  function makeRoom(now: number): void {
    const isFull = windows.size >= maxKeys
    if (isFull || now - sweptAt >= sweepEveryMs) sweep(now)
    if (isFull) evict()
  }

  function sweep(now: number): void {
    sweptAt = now
    for (const [key, { resetAt }] of windows) if (resetAt <= now) windows.delete(key)
  }

  /** Evicts the oldest windows of at most average use, so that a flood of new callers does not reset a heavy one. */
  function evict(): void {
    const average = windows.values().reduce((sum, { used }) => sum + used, 0) / windows.size
    for (const most of [average, Number.POSITIVE_INFINITY]) {
      for (const [key, { used }] of windows) {
        if (windows.size <= maxKeys * fullTo) return
        if (used <= most) windows.delete(key)
      }
    }
  }

  function spend(budgets: readonly Budget[]): Spent {
    const now = clock.now()
    const allowed = budgets.every((budget) => fits(budget, now))
    const settle = allowed ? count : look
    return { allowed, states: budgets.map((budget) => settle(budget, now)) }
  }

  return {
    spend: async (budgets) => spend(budgets),

    async peek(budgets) {
      const now = clock.now()
      return budgets.map((budget) => look(budget, now))
    },

    async admit(slot, budgets) {
      const leave = slots.take(slot)
      if (!leave) return undefined
      const { allowed, states } = spend(budgets)
      if (!allowed) leave()
      return { allowed, states, leave }
    },

    prune: async () => sweep(clock.now()),
    close: async () => {},
  }
}
