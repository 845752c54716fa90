/**
 * Slots: a semaphore over concurrent boxes, first come, first served. A run may ask to be the only one: it holds the others
 * back, but all that do so together for a quarter of the time at most while others wait.
 */

export type Slot = { readonly number: number; ranConcurrently(): boolean; release(): void }

export type Slots = {
  readonly count: number
  take(options?: { alone?: boolean | undefined; signal?: AbortSignal | undefined }): Promise<Slot>
}

type Waiter = { alone: boolean; grant(slot: Slot): void }

/** After a run alone, the others have this many times as long before the next. */
const othersShare = 3

export function makeSlots(count: number, now: () => number = () => performance.now()): Slots {
  const free = Array.from({ length: count }, (_, number) => number)
  const running = new Set<{ isConcurrent: boolean }>()
  const waiting: Waiter[] = []
  const waitingAlone: Waiter[] = []
  let isTakenAlone = false
  let nextAloneAt = 0

  const start = (waiter: Waiter) => {
    const number = free.shift()!
    const run = { isConcurrent: running.size > 0 }
    const startedAt = now()
    for (const other of running) other.isConcurrent = true
    running.add(run)
    isTakenAlone = waiter.alone
    waiter.grant({
      number,
      ranConcurrently: () => run.isConcurrent,
      release() {
        if (!running.delete(run)) return
        free.push(number)
        if (waiter.alone) nextAloneAt = now() + othersShare * (now() - startedAt)
        isTakenAlone = false
        advance()
      },
    })
  }

  const advance = () => {
    while (!isTakenAlone) {
      const isAloneNext = waitingAlone.length > 0 && (waiting.length === 0 || now() >= nextAloneAt)
      if (isAloneNext && running.size > 0) return
      const next = isAloneNext ? waitingAlone.shift() : free.length > 0 ? waiting.shift() : undefined
      if (!next) return
      start(next)
    }
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
        const line = alone ? waitingAlone : waiting
        const leave = () => {
          const place = line.indexOf(waiter)
          if (place >= 0) line.splice(place, 1)
          reject(signal!.reason)
          advance()
        }
        if (signal?.aborted) return reject(signal.reason)
        signal?.addEventListener('abort', leave, { once: true })
        line.push(waiter)
        advance()
      })
    },
  }
}
