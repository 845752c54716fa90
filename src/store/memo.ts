/**
 * Remembers what was read from some tables for as long as none of them has changed. On PostgreSQL, where other servers commit
 * unseen, it remembers nothing and reads each time.
 */
import { LRUCache } from 'lru-cache'
import type { Schema } from './schema/schema.ts'
import type { Store } from './store.ts'

export type Memo<V extends object> = (key: string, read: () => Promise<V | undefined>) => Promise<V | undefined>

/** `tables`: all that `read` reads. What was not found is not remembered: callers may make up as many keys as they like. */
export function makeMemo<V extends object>(
  store: Pick<Store, 'tableVersion'>,
  tables: readonly (keyof Schema)[],
  most: number,
): Memo<V> {
  const kept = new LRUCache<string, { readonly value: V; readonly version: number }>({ max: most })

  return async (key, read) => {
    // The version from before the read counts: a commit while it goes on may be missing from its answer.
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
