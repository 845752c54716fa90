/** Counts the slots of each key that this process holds. */
import type { ConcurrencySlot } from './rate-counts.ts'

/** `noteFreed` is called after each slot that was freed. */
export function makeHeldSlots(noteFreed: (key: string) => void = () => {}) {
  const held = new Map<string, number>()

  function free(key: string): void {
    const left = held.get(key)! - 1
    if (left > 0) held.set(key, left)
    else held.delete(key)
    noteFreed(key)
  }

  return {
    /** Answers a function that frees the slot (once), or undefined if this process holds all of them. */
    take({ key, limit }: ConcurrencySlot): (() => void) | undefined {
      const count = held.get(key) ?? 0
      if (count >= limit) return undefined
      held.set(key, count + 1)
      let isFreed = false
      return () => {
        if (isFreed) return
        isFreed = true
        free(key)
      }
    },

    count: (key: string): number => held.get(key) ?? 0,
    keys: (): Iterable<string> => held.keys(),
  }
}
