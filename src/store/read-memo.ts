/** Memoizes a read for as long as nothing is committed: asking again within that time costs a look-up in memory. */
import type { Awaitable } from '../base/awaitable.ts'
import type { Store } from './store.ts'

type Part = string | number
type Leaf<R> = { readonly answer: R }
/** One map for each part of the key: to join the parts to one text would take as long as to look them up. */
type Node<R> = Map<Part, Node<R> | Leaf<R>>

/**
 * What is cached is answered at once, without a promise. Where other servers may commit unseen (PostgreSQL), nothing is
 * cached.
 */
export function memoizeRead<K extends readonly [Part, ...Part[]], R>(
  store: Store,
  read: (...key: K) => Promise<R>,
  maxKeys = 10_000,
): (...key: K) => Awaitable<R> {
  let root: Node<R> = new Map()
  let keyCount = 0
  let validFor: number | undefined

  async function readAndCache(key: K, cache: Node<R>): Promise<R> {
    const answer = await read(...key)
    // After a commit the answer goes into a cache that nobody looks at any more.
    if (cache === root) keyCount++
    put(cache, key, { answer })
    return answer
  }

  return (...key) => {
    const changes = store.changes()
    if (changes === undefined) return read(...key)
    if (changes !== validFor || keyCount >= maxKeys) {
      root = new Map()
      keyCount = 0
      validFor = changes
    }
    let found: Node<R> | Leaf<R> | undefined = root
    for (let i = 0; i < key.length && found; i++) found = (found as Node<R>).get(key[i]!)
    return found ? (found as Leaf<R>).answer : readAndCache(key, root)
  }
}

function put<R>(root: Node<R>, key: readonly Part[], leaf: Leaf<R>): void {
  let node = root
  for (const part of key.slice(0, -1)) {
    const next = (node.get(part) as Node<R> | undefined) ?? new Map()
    node.set(part, next)
    node = next
  }
  node.set(key.at(-1)!, leaf)
}
