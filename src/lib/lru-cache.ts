/** A read-through cache bounded in bytes: the least recently used values are evicted first. */

export type LruCache<V> = {
  find<T extends V>(key: string): T | undefined
  /** The cached value, or the result of `load`. Concurrent calls for one key share one load. */
  get<T extends V>(key: string, load: () => Promise<T>, sizeOf: (value: T) => number): Promise<T>
}

/** A value over `maxEntryBytes` is not cached: it would evict too many others. */
export function makeLruCache<V = unknown>(maxBytes: number, maxEntryBytes = maxBytes / 8): LruCache<V> {
  const entries = new Map<string, { readonly value: V; readonly bytes: number }>()
  const loading = new Map<string, Promise<V>>()
  let total = 0

  function put(key: string, value: V, bytes: number): void {
    if (bytes > maxEntryBytes) return
    entries.set(key, { value, bytes })
    total += bytes
    for (const [oldest, entry] of entries) {
      if (total <= maxBytes) break
      entries.delete(oldest)
      total -= entry.bytes
    }
  }

  function find<T extends V>(key: string): T | undefined {
    const known = entries.get(key)
    if (!known) return undefined
    // A map keeps the order of insertion, so its first entry is the least recently used.
    entries.delete(key)
    entries.set(key, known)
    return known.value as T
  }

  return {
    find,
    async get<T extends V>(key: string, load: () => Promise<T>, sizeOf: (value: T) => number): Promise<T> {
      const known = find<T>(key)
      if (known !== undefined) return known
      const shared = loading.get(key)
      if (shared) return shared as Promise<T>
      const loaded = load()
      loading.set(key, loaded)
      try {
        const value = await loaded
        put(key, value, sizeOf(value) + key.length)
        return value
      } finally {
        loading.delete(key)
      }
    },
  }
}
