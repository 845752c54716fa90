/** Turns: so many acts at a time, the others wait in the order they came, and who waited too long is told, not kept. */

export type Turns = {
  run<T>(act: () => Promise<T>): Promise<T>
  /** Nobody has a turn or waits for one. */
  isIdle(): boolean
  /** For how long the first of those who wait has waited. */
  waitedMs(): number
}

type Bounds = { readonly places: number; readonly patienceMs: number; makeError(): Error }

type Waiter = { readonly since: number; enter(): void }

export function makeTurns({ places, patienceMs, makeError }: Bounds): Turns {
  const line: Waiter[] = []
  let taken = 0

  function wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.splice(line.indexOf(waiter), 1)
        reject(makeError())
      }, patienceMs).unref()
      const waiter = {
        since: performance.now(),
        enter() {
          clearTimeout(timer)
          resolve()
        },
      }
      line.push(waiter)
    })
  }

  return {
    async run(act) {
      if (taken < places) taken++
      else await wait()
      try {
        return await act()
      } finally {
        // Whoever is next has the place at once: nobody comes in between.
        const next = line.shift()
        if (next) next.enter()
        else taken--
      }
    },
    isIdle: () => taken === 0,
    waitedMs: () => (line[0] ? performance.now() - line[0].since : 0),
  }
}
