/** How much time each caller took of something lately: half as much counts a minute later. */

export type RecentUsage<Caller> = {
  add(caller: Caller, ms: number): void
  /** In ms, by whole tenths of a second: what is less is no difference. */
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
      // Whoever used it last is at the end.
      used.delete(caller)
      if (sum >= grainMs) used.set(caller, { ms: sum, at: now() })
      if (used.size > maxCallers) used.delete(used.keys().next().value!)
    },
    of: (caller) => Math.floor(read(caller) / grainMs) * grainMs,
  }
}
