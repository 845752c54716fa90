/**
 * What the only server at its PostgreSQL counts in memory: nobody else spends there. A window is known once the table has
 * told it in the same term of being alone; what is spent from it then is saved now and then, and before others are let in.
 */
import type { Clock } from '../../base/clock.ts'
import { type Budget, type BudgetState, type Spent, stateOf } from './rate-counts.ts'

/** `term` is of being alone, since when nobody else spends. `asking`: so many requests ask the table for it just now. */
type Window = { used: number; resetAt: number; unsaved: number; asking: number; term: number | undefined }

/** To be added to the table's count, or to begin a window there that lasts for as long. */
export type Unsaved = { readonly key: string; readonly amount: number; readonly lastsMs: number }

type Needs = {
  readonly clock: Clock
  /** Of being alone; undefined while others are there. */
  term(): number | undefined
  /** At about 200 bytes each, 20 MB. */
  readonly maxWindows?: number
}

export type SoleCounts = ReturnType<typeof makeSoleCounts>

export function makeSoleCounts({ clock, term: findTerm, maxWindows = 100_000 }: Needs) {
  const windows = new Map<string, Window>()
  /** The keys of those that may have something unsaved. */
  let changed = new Set<string>()

  /** Those that the table tells again, where it is asked. */
  function makeRoom(): void {
    const now = clock.now()
    for (const [key, { unsaved, asking, resetAt }] of windows)
      if (asking === 0 && (unsaved === 0 || resetAt <= now)) windows.delete(key)
  }

  function findOrAdd(key: string): Window {
    const found = windows.get(key)
    if (found) return found
    if (windows.size >= maxWindows) makeRoom()
    const window = { used: 0, resetAt: 0, unsaved: 0, asking: 0, term: undefined }
    windows.set(key, window)
    return window
  }

  /** Undefined where the table has to be asked for one of them. */
  function find(budgets: readonly Budget[], now: number): Window[] | undefined {
    const term = findTerm()
    if (term === undefined) return undefined
    const found: Window[] = []
    for (const { key } of budgets) {
      const window = windows.get(key)
      if (!window || window.term !== term || window.asking > 0) return undefined
      if (window.resetAt <= now) Object.assign(window, { used: 0, unsaved: 0 })
      found.push(window)
    }
    return found
  }

  const stateNow = (budget: Budget, { used, resetAt }: Window, now: number): BudgetState =>
    stateOf(budget, used, resetAt > now ? resetAt : now + budget.windowMs)

  /** Of several answers for one window the one with the most is the last. One that nobody has spent from has not begun. */
  function learn(window: Window, { used, resetAt }: BudgetState, term: number): void {
    const isNewer = window.term !== term || resetAt > window.resetAt
    if (isNewer) Object.assign(window, { used, resetAt: used > 0 ? resetAt : 0, term })
    else window.used = Math.max(window.used, used)
  }

  return {
    /** Undefined where the table has to be asked. */
    spend(budgets: readonly Budget[]): Spent | undefined {
      const now = clock.now()
      const found = find(budgets, now)
      if (!found) return undefined
      const allowed = budgets.every(({ limit, cost = 1 }, i) => found[i]!.used + cost <= limit)
      if (allowed)
        for (const [i, { key, windowMs, cost = 1 }] of budgets.entries()) {
          const window = found[i]!
          if (window.resetAt <= now) window.resetAt = now + windowMs
          if (window.unsaved === 0) changed.add(key)
          window.used += cost
          window.unsaved += cost
        }
      return { allowed, states: budgets.map((budget, i) => stateNow(budget, found[i]!, now)) }
    },

    peek(budgets: readonly Budget[]): BudgetState[] | undefined {
      const now = clock.now()
      return find(budgets, now)?.map((window, i) => stateNow(budgets[i]!, window, now))
    },

    /** While the table is asked for them, nothing is spent from these here. Answers how to say what it told, if it did. */
    beginAsking(budgets: readonly Budget[]): (spent: Spent | undefined) => void {
      const term = findTerm()
      if (term === undefined) return () => {}
      const asked = budgets.map(({ key }) => findOrAdd(key))
      for (const window of asked) window.asking++
      return (spent) => {
        for (const [i, window] of asked.entries()) {
          window.asking--
          const state = spent?.states[i]
          if (state && findTerm() === term) learn(window, state, term)
          else window.term = undefined
        }
      }
    },

    /** Of these, or of all. They count as saved, unless they are given back. */
    takeUnsaved(keys: Iterable<string> = changed): Unsaved[] {
      const now = clock.now()
      const taken: Unsaved[] = []
      for (const key of keys) {
        const window = windows.get(key)
        if (!window?.unsaved) continue
        if (window.resetAt > now) taken.push({ key, amount: window.unsaved, lastsMs: window.resetAt - now })
        window.unsaved = 0
      }
      if (keys === changed) changed = new Set()
      return taken
    },

    giveBack(unsaved: readonly Unsaved[]): void {
      for (const { key, amount, lastsMs } of unsaved) {
        const window = findOrAdd(key)
        if (window.resetAt === 0) window.resetAt = clock.now() + lastsMs
        window.unsaved += amount
        changed.add(key)
      }
    },

    isSaved: (): boolean => changed.size === 0,
    prune: makeRoom,
  }
}
