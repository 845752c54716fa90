/**
 * A cache of values that are never over a second old. While a value is being read it is looked at again in the
 * background before it is too old, so that its readers wait for no query until it changes; one that nobody reads any
 * more is left alone.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../lib/clock.ts'
import { runAs } from '../../../lib/scheduling/work-kind.ts'

const freshMs = 1_000
/** The rest of the second is for the look. */
const lookAgainMs = 700
/** A page reads its board every ten seconds. */
const watchedMs = 30_000

/** `clockAt` is by the contests' clock, which tests move. */
type Kept<V> = { readonly value: V; readonly loadedAt: number; readonly clockAt: number; readAt: number }

type Needs<V> = {
  readonly clock: Clock
  readonly most: number
  /** Gets the value from before, if there is one. Values that do not exist are not cached. */
  load(key: string, before: V | undefined): Promise<V | undefined>
  /** The present value, if it is had without much work; else undefined, and the next reader loads it. */
  lookAgain(key: string, before: V): Promise<V | undefined>
  /** Whether the value still holds at this time of the clock, without any change. */
  isOf?(value: V, now: number): boolean
}

type Load<V> = { readonly value: Promise<V | undefined>; readonly begunAt: number; next?: Promise<V | undefined> }

export type RefreshedCache<V> = ReturnType<typeof makeRefreshedCache<V & object>>

export function makeRefreshedCache<V extends object>({ clock, most, load, lookAgain, isOf = () => true }: Needs<V>) {
  const kept = new LRUCache<string, Kept<V>>({ max: most })
  const timers = new Map<string, NodeJS.Timeout>()
  const loading = new Map<string, Load<V>>()
  const looks = new Set<Promise<void>>()
  let isClosed = false

  const isFresh = ({ value, loadedAt, clockAt }: Kept<V>, now: number): boolean =>
    performance.now() - loadedAt < freshMs && Math.abs(now - clockAt) < freshMs && isOf(value, now)

  /**
   * Concurrent callers share one load, which is nobody's kind of work: a feed's would wait behind the other feeds. Who comes
   * when a slow one is a second old shares the load after it.
   */
  function share(key: string): Promise<V | undefined> {
    const shared = loading.get(key)
    if (!shared) return begin(key)
    if (performance.now() - shared.begunAt < freshMs) return shared.value
    shared.next ??= shared.value.catch(() => {}).then(() => share(key))
    return shared.next
  }

  function begin(key: string): Promise<V | undefined> {
    const own: Load<V> = {
      begunAt: performance.now(),
      value: runAs('other', () => reload(key, () => loading.get(key) === own)).finally(() => {
        if (loading.get(key) === own) loading.delete(key)
      }),
    }
    loading.set(key, own)
    return own.value
  }

  async function reload(key: string, isCurrent: () => boolean): Promise<V | undefined> {
    const begun = readClocks()
    const before = kept.get(key)
    const value = await load(key, before?.value)
    if (!isCurrent()) return value
    if (value) put(key, { value, ...begun, readAt: begun.loadedAt })
    else kept.delete(key)
    return value
  }

  /** The time before the read counts: a commit during it may be missing. */
  const readClocks = () => ({ loadedAt: performance.now(), clockAt: clock.now() })

  function put(key: string, entry: Kept<V>): void {
    kept.set(key, entry)
    clearTimeout(timers.get(key))
    timers.delete(key)
    if (isClosed || performance.now() - entry.readAt > watchedMs) return
    const dueMs = entry.loadedAt + lookAgainMs - performance.now()
    timers.set(key, setTimeout(() => look(key, entry), Math.max(0, dueMs)).unref())
  }

  /** A failure is met by the next reader, who loads the value. */
  function look(key: string, before: Kept<V>): void {
    timers.delete(key)
    if (kept.peek(key) !== before) return
    const begun = readClocks()
    const looking: Promise<void> = runAs('other', () => lookAgain(key, before.value))
      .then((value) => {
        if (value && kept.peek(key) === before) put(key, { value, ...begun, readAt: before.readAt })
      })
      .catch(() => {})
      .finally(() => looks.delete(looking))
    looks.add(looking)
  }

  return {
    /** Undefined if there is none. */
    async read(key: string): Promise<V | undefined> {
      const entry = kept.get(key)
      if (entry) entry.readAt = performance.now()
      return entry && isFresh(entry, clock.now()) ? entry.value : share(key)
    },

    /** Something changed: the next readers load their values, and loads in progress serve nobody else. */
    clear(): void {
      kept.clear()
      loading.clear()
    },

    async close(): Promise<void> {
      isClosed = true
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.allSettled([...loading.values().map(({ value }) => value), ...looks])
    },
  }
}
