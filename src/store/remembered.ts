/** Answers of a read, kept for as long as nothing was committed since: who asks again within that time pays nothing. */
import type { Store } from './store.ts'

/** Where others may commit unseen (PostgreSQL), nothing is kept. */
export function remember<R>(
  store: Store,
  read: (key: string) => Promise<R>,
  maxKeys = 10_000,
): (key: string) => Promise<R> {
  const kept = new Map<string, { readonly changes: number; readonly answer: R }>()
  return async (key) => {
    const changes = store.changes()
    if (changes === undefined) return read(key)
    const known = kept.get(key)
    if (known?.changes === changes) return known.answer
    const answer = await read(key)
    if (kept.size >= maxKeys) kept.clear()
    kept.set(key, { changes, answer })
    return answer
  }
}
