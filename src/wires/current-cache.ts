/** A cache of answers that holds each until something that it was read from changes, bounded in bytes. */
import { type Awaitable, whenKnown } from '../base/awaitable.ts'
import type { Observed, ObserveRead } from '../base/observed.ts'

/** In all, in two generations of half as much; measured: a page of thirty repositories takes 170 kB. */
const maxBytes = 32 * 1024 * 1024
const maxEntryBytes = 1024 * 1024
/** What a key, its table names and its headers take besides. */
const entryBytes = 1024

type Entry<T> = { readonly answer: T; readonly observed: Observed<unknown>; readonly bytes: number }

export type CurrentCache<T> = {
  /** The cached answer, or what `read` answers. `sizeOf` answers undefined for what is not to be cached. */
  get(key: string, read: () => Awaitable<T>, sizeOf: (answer: T) => number | undefined): Awaitable<T>
}

/** Where reads can't be observed (PostgreSQL), nothing is cached. */
export function makeCurrentCache<T>(observeRead: ObserveRead | undefined): CurrentCache<T> {
  if (!observeRead) return { get: (_key, read) => read() }
  // What is asked for moves to the new generation; the old one is dropped whole when the new one is full.
  let fresh = new Map<string, Entry<T>>()
  let old = new Map<string, Entry<T>>()
  let freshBytes = 0

  function put(key: string, entry: Entry<T>): void {
    if (freshBytes + entry.bytes > maxBytes / 2) {
      old = fresh
      fresh = new Map()
      freshBytes = 0
    }
    freshBytes += entry.bytes - (fresh.get(key)?.bytes ?? 0)
    fresh.set(key, entry)
  }

  function find(key: string): Entry<T> | undefined {
    const known = fresh.get(key)
    if (known) return known.observed.isCurrent() ? known : undefined
    const older = old.get(key)
    if (!older?.observed.isCurrent()) return undefined
    put(key, older)
    return older
  }

  return {
    get(key, read, sizeOf) {
      const known = find(key)
      if (known) return known.answer
      const observed = observeRead(read)
      return whenKnown(observed.answer, (answer) => {
        const size = sizeOf(answer)
        if (size !== undefined && size <= maxEntryBytes)
          put(key, { answer, observed, bytes: size + key.length + entryBytes })
        return answer
      })
    },
  }
}
