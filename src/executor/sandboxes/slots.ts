/** Slots: a semaphore over concurrent boxes, first come, first served. A run may ask to be the only one. */

export type Slot = { readonly number: number; ranConcurrently(): boolean; release(): void }

export type Slots = {
  readonly count: number
  take(options?: { alone?: boolean | undefined; signal?: AbortSignal | undefined }): Promise<Slot>
}

type Waiter = { alone: boolean; grant(slot: Slot): void }

export function makeSlots(count: number): Slots {
  const free = Array.from({ length: count }, (_, number) => number)
  const running = new Set<{ isConcurrent: boolean }>()
  const waiting: Waiter[] = []
  let isTakenAlone = false

  const mayStart = (waiter: Waiter) => (waiter.alone ? running.size === 0 : free.length > 0 && !isTakenAlone)

  const start = (waiter: Waiter) => {
    const number = free.shift()!
    const run = { isConcurrent: running.size > 0 }
    for (const other of running) other.isConcurrent = true
    running.add(run)
    isTakenAlone = waiter.alone
    waiter.grant({
      number,
      ranConcurrently: () => run.isConcurrent,
      release() {
        if (!running.delete(run)) return
        free.push(number)
        isTakenAlone = false
        advance()
      },
    })
  }

  const advance = () => {
    while (waiting.length > 0 && mayStart(waiting[0]!)) start(waiting.shift()!)
  }

  return {
    count,
    take({ alone = false, signal } = {}) {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          alone,
          grant(slot) {
            signal?.removeEventListener('abort', leave)
            resolve(slot)
          },
        }
        const leave = () => {
          const place = waiting.indexOf(waiter)
          if (place >= 0) waiting.splice(place, 1)
          reject(signal!.reason)
          advance()
        }
        if (signal?.aborted) return reject(signal.reason)
        signal?.addEventListener('abort', leave, { once: true })
        waiting.push(waiter)
        advance()
      })
    },
  }
}
