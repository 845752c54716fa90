/**
 * Serves many askers with one call: what is asked while a call is under way waits for the next one. That begins once those
 * who were answered have gone on, and what came in meanwhile was read: it is for all of them, where it would be for few.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

type Asker<A, R> = { readonly asked: A; resolve(answer: R): void; reject(error: unknown): void }

/** `serve` answers in the order of what was asked, `most` of them at a time. Where it fails, all it was called for fail. */
export function gather<A, R>(
  serve: (asked: readonly A[]) => Promise<readonly R[]>,
  most = Number.POSITIVE_INFINITY,
): (asked: A) => Promise<R> {
  const waiting: Asker<A, R>[] = []
  let isServing = false

  // In no asker's context: it works for all of them.
  const serveAll = AsyncLocalStorage.bind(async () => {
    while (waiting.length > 0) {
      const served = waiting.splice(0, most)
      try {
        const answers = await serve(served.map(({ asked }) => asked))
        for (const [i, { resolve }] of served.entries()) resolve(answers[i]!)
      } catch (error) {
        for (const { reject } of served) reject(error)
      }
      if (waiting.length > 0 && waiting.length < most) await nextReading()
    }
    isServing = false
  })

  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, resolve, reject })
      if (isServing) return
      isServing = true
      // Those who ask in the same turn of the event loop share the first call as well.
      setImmediate(serveAll)
    })
}

/** In the first turn of the event loop those who were answered go on; in the second the sockets are read again. */
export async function nextReading(): Promise<void> {
  await nextTurn()
  await nextTurn()
}
