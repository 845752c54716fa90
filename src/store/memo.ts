/**
 * Caches what was read from some tables until one of them changes. On PostgreSQL, where other servers commit unnoticed,
 * it caches nothing and always reads.
 */
import { LRUCache } from 'lru-cache'
import type { Schema } from './schema/schema.ts'
import type { Store } from './store.ts'

export type Memo<V extends object> = (key: string, read: () => Promise<V | undefined>) => Promise<V | undefined>

/** `tables`: all tables that `read` uses. Missing rows are not cached: callers may make up any number of keys. */
export function makeMemo<V extends object>(
  store: Pick<Store, 'tableVersion'>,
  tables: readonly (keyof Schema)[],
  most: number,
): Memo<V> {
  const kept = new LRUCache<string, { readonly value: V; readonly version: number }>({ max: most })

  return async (key, read) => {
    // Uses the version before the read: a commit during it may be missing from the result.
    const version = store.tableVersion(tables)
    if (version === undefined) return read()
    const found = kept.get(key)
    if (found?.version === version) return found.value
    const value = await read()
    if (value === undefined) kept.delete(key)
    else kept.set(key, { value, version })
    return value
  }
}
