/**
 * Turns: of those who wait, the author who was served longest ago is next, and has one at a time, so that one's hundred never
 * hold up another's one.
 */

import { makeServiceOrder } from '../sandboxes/slots/service-order.ts'

export type Turns = {
  /** Resolves with the function that ends the turn; rejects when the signal is aborted. */
  take(author: string, signal: AbortSignal): Promise<() => void>
  readonly waitingCount: number
}

type Waiter = { readonly author: string; grant(): void }

export function makeAuthorTurns(width: number): Turns {
  const waiting: Waiter[] = []
  const order = makeServiceOrder<string>()
  const running = new Set<string>()

  const pickNext = (): Waiter | undefined => {
    let best: Waiter | undefined
    for (const waiter of waiting) {
      if (running.has(waiter.author)) continue
      if (!best || order.servedAt(waiter.author) < order.servedAt(best.author)) best = waiter
    }
    return best
  }
  const advance = () => {
    while (running.size < width) {
      const next = pickNext()
      if (!next) return
      waiting.splice(waiting.indexOf(next), 1)
      order.remember(next.author)
      running.add(next.author)
      next.grant()
    }
  }

  return {
    get waitingCount() {
      return waiting.length
    },
    take(author, signal) {
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.splice(waiting.indexOf(waiter), 1)
          reject(signal.reason)
        }
        const waiter: Waiter = {
          author,
          grant() {
            signal.removeEventListener('abort', leave)
            let isOver = false
            resolve(() => {
              if (isOver) return
              isOver = true
              running.delete(author)
              advance()
            })
          },
        }
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', leave, { once: true })
        waiting.push(waiter)
        advance()
      })
    },
  }
}
