/** A cache of shared values such as files: unheld ones are evicted beyond a size, oldest first. */

export type Held<T> = { readonly value: T; release(): void }

export type HeldCache<T> = {
  /** Makes the value if it is missing. Concurrent callers share it, or its failure, which is not cached. */
  obtain(key: string, make: () => Promise<T>): Promise<Held<T>>
  /** The size of the values that are held. */
  readonly heldBytes: number
}

type Entry<T> = { readonly value: Promise<T>; holders: number; bytes: number; isStale: boolean }

export type HeldCacheOptions<T> = {
  readonly mostBytes: number
  sizeOf(value: T): number
  drop(value: T): void
}

export function makeHeldCache<T>({ mostBytes, sizeOf, drop }: HeldCacheOptions<T>): HeldCache<T> {
  const entries = new Map<string, Entry<T>>() // in order of use, oldest first

  const dropUnheld = (entry: Entry<T>) => {
    if (entry.isStale && entry.holders === 0) entry.value.then(drop, () => undefined)
  }
  const discard = (key: string, entry: Entry<T>) => {
    if (entries.get(key) === entry) entries.delete(key)
    entry.isStale = true
    dropUnheld(entry)
  }
  const shrink = () => {
    let total = [...entries.values()].reduce((sum, entry) => sum + entry.bytes, 0)
    for (const [key, entry] of entries) {
      if (total <= mostBytes) return
      if (entry.holders > 0) continue
      total -= entry.bytes
      discard(key, entry)
    }
  }

  return {
    get heldBytes() {
      return [...entries.values()].reduce((sum, { holders, bytes }) => sum + (holders > 0 ? bytes : 0), 0)
    },
    async obtain(key, make) {
      const entry = entries.get(key) ?? { value: make(), holders: 0, bytes: 0, isStale: false }
      entries.delete(key)
      entries.set(key, entry)
      entry.holders++
      let isHeld = true
      const release = () => {
        if (!isHeld) return
        isHeld = false
        entry.holders--
        dropUnheld(entry)
        shrink()
      }
      try {
        const value = await entry.value
        entry.bytes = sizeOf(value)
        return { value, release }
      } catch (error) {
        release()
        discard(key, entry)
        throw error
      }
    },
  }
}
