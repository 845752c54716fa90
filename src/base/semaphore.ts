/** A semaphore: at most `limit` acts run at a time, and the others wait in the order they came. */

/** `key` names whose act it is: of one key at most `limitPerKey` run at a time, so that a slow client does not block all others. */
export type Semaphore = <T>(act: () => Promise<T>, key?: string) => Promise<T>

export function makeSemaphore(limit: number, limitPerKey = limit): Semaphore {
  let running = 0
  const runningByKey = new Map<string, number>()
  const waiting: { readonly key: string; readonly start: () => void }[] = []

  const hasRoom = (key: string) => running < limit && (runningByKey.get(key) ?? 0) < limitPerKey

  function count(key: string, step: 1 | -1): void {
    running += step
    const now = (runningByKey.get(key) ?? 0) + step
    if (now > 0) runningByKey.set(key, now)
    else runningByKey.delete(key)
  }

  function startNext(): void {
    const at = waiting.findIndex(({ key }) => hasRoom(key))
    if (at < 0) return
    const [next] = waiting.splice(at, 1)
    count(next!.key, 1)
    next!.start()
  }

  return async (act, key = '') => {
    // An act that waits for its own key's limit does not keep those of other keys from starting.
    if (hasRoom(key)) count(key, 1)
    else await new Promise<void>((start) => waiting.push({ key, start }))
    try {
      return await act()
    } finally {
      count(key, -1)
      startNext()
    }
  }
}
