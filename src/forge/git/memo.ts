/** A memory of answers that can be had again at a price: by key, the least lately used leave first, bounded in bytes. */

export type Memo = { get<T>(key: string, make: () => Promise<T>, sizeOf: (value: T) => number): Promise<T> }

export function makeMemo(maxBytes: number): Memo {
  const kept = new Map<string, { value: unknown; bytes: number }>()
  const coming = new Map<string, Promise<unknown>>()
  let total = 0

  function keep(key: string, value: unknown, bytes: number): void {
    if (bytes > maxBytes / 8) return
    kept.set(key, { value, bytes })
    total += bytes
    for (const [oldest, entry] of kept) {
      if (total <= maxBytes) break
      kept.delete(oldest)
      total -= entry.bytes
    }
  }

  return {
    async get<T>(key: string, make: () => Promise<T>, sizeOf: (value: T) => number): Promise<T> {
      const known = kept.get(key)
      if (known) {
        kept.delete(key)
        kept.set(key, known)
        return known.value as T
      }
      // Those who ask for the same at the same time share one making.
      const shared = coming.get(key)
      if (shared) return shared as Promise<T>
      const making = make()
      coming.set(key, making)
      try {
        const value = await making
        keep(key, value, sizeOf(value) + key.length)
        return value
      } finally {
        coming.delete(key)
      }
    },
  }
}
