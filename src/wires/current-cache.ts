/** A cache of answers that holds each until something that it was read from changes, bounded in bytes. */
import { createHash } from 'node:crypto'
import type { Account } from '../accounts/actor.ts'
import { type Awaitable, whenKnown } from '../base/awaitable.ts'
import type { Observed, ObserveRead } from '../base/observed.ts'

/** In all, in two generations of half as much; measured: a page of thirty repositories takes 170 kB. */
const maxBytes = 32 * 1024 * 1024
const maxEntryBytes = 1024 * 1024
/** Of the rows that an answer was made of, which are kept to compare them with. */
const maxHeldBytes = 256 * 1024
/** Of what changes all the time, who has waited for so many reads of others reads for themselves. */
const maxShared = 3
/** What a key, its table names and its headers take besides. */
const entryBytes = 1024

type Entry<T> = { readonly answer: T; readonly observed: Observed<unknown>; readonly bytes: number }

type Going<T> = { readonly answer: Promise<T>; readonly observed: Observed<unknown> }
type SizeOf<T> = (answer: T) => number | undefined

export type CurrentCache<T> = {
  /** The cached answer, or what `read` answers. `sizeOf` answers undefined for what is not to be cached. */
  get(key: string, read: () => Awaitable<T>, sizeOf: SizeOf<T>): Awaitable<T>
}

/**
 * For keys: whoever asks was read before the answer was, so a change of their account is not seen among the answer's tables,
 * and all that may be shown of them, or decides what they may, must be in its key.
 */
export function nameCaller(account: Account | undefined): string {
  if (!account) return 'nobody'
  const known = callers.get(account)
  if (known !== undefined) return known
  // A short one: a key is hashed with each request.
  const named = createHash('sha256').update(JSON.stringify(account)).digest('base64url')
  callers.set(account, named)
  return named
}

/** An account that has changed is read anew, and is another object. */
const callers = new WeakMap<Account, string>()

export function makeCurrentCache<T>(observeRead: ObserveRead): CurrentCache<T> {
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

  function find(key: string): Awaitable<Entry<T> | undefined> {
    const known = fresh.get(key) ?? old.get(key)
    if (!known) return undefined
    return whenKnown(known.observed.isCurrent(), (isCurrent) => {
      if (!isCurrent) return undefined
      if (fresh.get(key) === undefined) put(key, known)
      return known
    })
  }

  /** Reads that go on: who asks for the same meanwhile shares them. */
  const going = new Map<string, Going<T>>()

  function readAndCache(key: string, read: () => Awaitable<T>, sizeOf: SizeOf<T>): Awaitable<T> {
    const observed = observeRead(read, maxHeldBytes)
    const { answer } = observed
    const keep = (known: T): T => {
      const size = sizeOf(known)
      if (size !== undefined && size <= maxEntryBytes)
        put(key, { answer: known, observed, bytes: size + observed.heldBytes() + key.length + entryBytes })
      return known
    }
    if (!(answer instanceof Promise)) return keep(answer)
    const mine = { answer, observed }
    going.set(key, mine)
    return answer.then(keep).finally(() => {
      if (going.get(key) === mine) going.delete(key)
    })
  }

  /** What can't be cached can't be shared, and a failure may be of the one who began it. */
  const settle = ({ answer }: Going<T>, sizeOf: SizeOf<T>): Promise<{ readonly known: T } | undefined> =>
    answer.then(
      (known) => (sizeOf(known) === undefined ? undefined : { known }),
      () => undefined,
    )

  async function share(other: Going<T>, key: string, read: () => Awaitable<T>, sizeOf: SizeOf<T>): Promise<T> {
    for (let shared: Going<T> | undefined = other, tries = 0; shared && tries < maxShared; tries++) {
      const found = await settle(shared, sizeOf)
      if (!found) break
      if (await shared.observed.isCurrent()) return found.known
      // It was changed before it was asked for here: of those who find that out, one reads anew for all.
      shared = going.get(key)
    }
    return readAndCache(key, read, sizeOf)
  }

  return {
    get(key, read, sizeOf) {
      return whenKnown(find(key), (known) => {
        if (known) return known.answer
        const other = going.get(key)
        return other ? share(other, key, read, sizeOf) : readAndCache(key, read, sizeOf)
      })
    },
  }
}
