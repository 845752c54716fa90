/** The time that each caller has recently used of something; its weight halves each minute. */

export type RecentUsage<Caller> = {
  add(caller: Caller, ms: number): void
  /** In ms, rounded down to tenths of a second, so that small differences do not count. */
  of(caller: Caller): number
}

const halfLifeMs = 60_000
const grainMs = 100
const maxCallers = 10_000

export function makeRecentUsage<Caller = string>(now: () => number = () => performance.now()): RecentUsage<Caller> {
  const used = new Map<Caller, { ms: number; at: number }>()

  function read(caller: Caller): number {
    const last = used.get(caller)
    return last ? last.ms * 2 ** ((last.at - now()) / halfLifeMs) : 0
  }

  return {
    add(caller, ms) {
      const sum = read(caller) + ms
      // Moves the caller to the end: the least recent user comes first.
      used.delete(caller)
      if (sum >= grainMs) used.set(caller, { ms: sum, at: now() })
      if (used.size > maxCallers) used.delete(used.keys().next().value!)
    },
    of: (caller) => Math.floor(read(caller) / grainMs) * grainMs,
  }
}
