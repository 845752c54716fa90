/** Answers of a read, kept for as long as nothing was committed since: who asks again within that time pays nothing. */
import type { Awaitable } from '../base/awaitable.ts'
import type { Store } from './store.ts'

/** What is known is there at once, without a promise. Where others may commit unseen (PostgreSQL), nothing is kept. */
export function remember<R>(
  store: Store,
  read: (key: string) => Promise<R>,
  maxKeys = 10_000,
): (key: string) => Awaitable<R> {
  const kept = new Map<string, { readonly changes: number; readonly answer: R }>()

  async function readAndKeep(key: string, changes: number): Promise<R> {
    const answer = await read(key)
    if (kept.size >= maxKeys) kept.clear()
    kept.set(key, { changes, answer })
    return answer
  }

  return (key) => {
    const changes = store.changes()
    if (changes === undefined) return read(key)
    const known = kept.get(key)
    return known?.changes === changes ? known.answer : readAndKeep(key, changes)
  }
}
