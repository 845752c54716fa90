/** Answers of a read, kept for as long as nothing was committed since: who asks again within that time pays nothing. */
import type { Awaitable } from '../base/awaitable.ts'
import type { Store } from './store.ts'

type Part = string | number
type Leaf<R> = { readonly answer: R }
/** A map a part: to join the parts to one text would take as long as to look them up. */
type Shelf<R> = Map<Part, Shelf<R> | Leaf<R>>

/** What is known is there at once, without a promise. Where others may commit unseen (PostgreSQL), nothing is kept. */
export function remember<K extends readonly [Part, ...Part[]], R>(
  store: Store,
  read: (...key: K) => Promise<R>,
  maxKeys = 10_000,
): (...key: K) => Awaitable<R> {
  let shelf: Shelf<R> = new Map()
  let kept = 0
  let seen: number | undefined

  async function readAndKeep(key: K, on: Shelf<R>): Promise<R> {
    const answer = await read(...key)
    // After a commit it lands on a shelf that nobody looks at any more.
    if (on === shelf) kept++
    put(on, key, { answer })
    return answer
  }

  return (...key) => {
    const changes = store.changes()
    if (changes === undefined) return read(...key)
    if (changes !== seen || kept >= maxKeys) {
      shelf = new Map()
      kept = 0
      seen = changes
    }
    let found: Shelf<R> | Leaf<R> | undefined = shelf
    for (let i = 0; i < key.length && found; i++) found = (found as Shelf<R>).get(key[i]!)
    return found ? (found as Leaf<R>).answer : readAndKeep(key, shelf)
  }
}

function put<R>(shelf: Shelf<R>, key: readonly Part[], leaf: Leaf<R>): void {
  let place = shelf
  for (const part of key.slice(0, -1)) {
    const next = (place.get(part) as Shelf<R> | undefined) ?? new Map()
    place.set(part, next)
    place = next
  }
  place.set(key.at(-1)!, leaf)
}
