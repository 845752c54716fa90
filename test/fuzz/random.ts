/** Chance that can be had again: the same seed draws the same. */

export type Random = ReturnType<typeof makeRandom>

/** The generator is mulberry32: small, quick, and good enough to choose among wrong things. */
export function makeRandom(seed: number) {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** From 0, below `limit`. */
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  return {
    below,
    pick,
    isChance: (share: number): boolean => next() < share,
    /** So many of them at most, in any order, with repetitions. */
    some: <T>(list: readonly T[], most: number): T[] => Array.from({ length: below(most + 1) }, () => pick(list)),
    bytes: (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256))),
  }
}

/** Each request has a chance of its own, so that any of them can be made again without those before it. */
export const randomOf = (seed: number, index: number): Random => makeRandom(Math.imul(seed, 0x9e3779b1) ^ index)
