/** A queue of those who wait: the first is woken first, and who waited too long is told, not kept. */

export type WaitQueue = {
  /** Resolves once it is this one's turn; `isFirst` goes before all others. */
  wait(isFirst?: boolean): Promise<void>
  /** Answers whether anybody waited. */
  wakeNext(): boolean
  rejectAll(error: Error): void
  /** For how long the first has waited. */
  waitedMs(): number
}

type Timeout = { readonly timeoutMs: number; makeError(): Error }

type Waiter = {
  readonly since: number
  readonly timer: NodeJS.Timeout
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export function makeWaitQueue({ timeoutMs, makeError }: Timeout): WaitQueue {
  const queue: Waiter[] = []

  return {
    wait: (isFirst = false) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          queue.splice(queue.indexOf(waiter), 1)
          reject(makeError())
        }, timeoutMs).unref()
        const waiter = { since: performance.now(), timer, resolve, reject }
        queue[isFirst ? 'unshift' : 'push'](waiter)
      }),
    wakeNext() {
      const next = queue.shift()
      clearTimeout(next?.timer)
      next?.resolve()
      return next !== undefined
    },
    rejectAll(error) {
      for (const { reject, timer } of queue.splice(0)) {
        clearTimeout(timer)
        reject(error)
      }
    },
    waitedMs: () => (queue[0] ? performance.now() - queue[0].since : 0),
  }
}
