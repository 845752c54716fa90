/** A value that views can follow: the smallest store there is. */
import { useEffect, useState } from 'preact/hooks'

export type Store<T> = {
  get(): T
  set(value: T): void
  follow(listener: () => void): () => void
}

export function makeStore<T>(first: T): Store<T> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      value = next
      for (const listener of [...listeners]) listener()
    },
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, show] = useState(store.get())
  useEffect(() => {
    const look = () => show(() => store.get())
    look()
    return store.follow(look)
  }, [store])
  return value
}
