/** Chance that can be had again: one seed, one sequence of draws. */

export type Random = {
  /** From 0 up to, and without, the bound. */
  below(bound: number): number
  chance(probability: number): boolean
  /** One of them; undefined of none. */
  pick<T>(list: Iterable<T>): T | undefined
  shuffle<T>(list: Iterable<T>): T[]
}

/** Mulberry32: 32 bits of state are plenty for choosing steps. */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    below,
    chance: (probability) => next() < probability,
    pick(list) {
      const all = [...list]
      return all[below(all.length)]
    },
    shuffle(list) {
      const all = [...list]
      for (let at = all.length - 1; at > 0; at--) {
        const other = below(at + 1)
        ;[all[at], all[other]] = [all[other]!, all[at]!]
      }
      return all
    },
  }
}
