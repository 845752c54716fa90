/** Memoizes a read until what it was read from changes: asking again within that time costs a look-up in memory. */
import { type Awaitable, whenKnown } from '../base/awaitable.ts'
import type { Observed } from '../base/observed.ts'
import type { Store } from './store.ts'

type Part = string | number
type Leaf<R> = { readonly answer: R; readonly observed: Observed<unknown> }
/** One map for each part of the key: to join the parts to one text would take as long as to look them up. */
type Node<R> = Map<Part, Node<R> | Leaf<R>>

/**
 * What is cached is answered at once, without a promise. `maxBytes`: of the rows that are kept to be asked for again where
 * their table has changed; 0 where that would cost as much as to read anew.
 */
export function memoizeRead<K extends readonly [Part, ...Part[]], R>(
  { observeRead }: Pick<Store, 'observeRead'>,
  read: (...key: K) => Promise<R>,
  maxKeys = 10_000,
  maxBytes?: number,
): (...key: K) => Awaitable<R> {
  let root: Node<R> = new Map()
  let keyCount = 0

  function readAndCache(key: K): Awaitable<R> {
    const observed = observeRead(() => read(...key), maxBytes)
    return whenKnown(observed.answer, (answer) => {
      if (keyCount >= maxKeys) {
        root = new Map()
        keyCount = 0
      }
      if (put(root, key, { answer, observed })) keyCount++
      return answer
    })
  }

  return (...key) => {
    let found: Node<R> | Leaf<R> | undefined = root
    for (let i = 0; i < key.length && found; i++) found = (found as Node<R>).get(key[i]!)
    const leaf = found as Leaf<R> | undefined
    if (!leaf) return readAndCache(key)
    return whenKnown(leaf.observed.isCurrent(), (isCurrent) => (isCurrent ? leaf.answer : readAndCache(key)))
  }
}

/** Answers whether the key is new. */
function put<R>(root: Node<R>, key: readonly Part[], leaf: Leaf<R>): boolean {
  let node = root
  for (const part of key.slice(0, -1)) {
    const next = (node.get(part) as Node<R> | undefined) ?? new Map()
    node.set(part, next)
    node = next
  }
  const last = key.at(-1)!
  const isNew = !node.has(last)
  node.set(last, leaf)
  return isNew
}
