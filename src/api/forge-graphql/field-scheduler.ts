/** The scheduler of fields: queries execute their fields in short turns, one query after the other, so that all other requests go on between them. */

/** What others wait for at most, but for what one field takes. */
const turnMs = 5

export type Execution = {
  /**
   * At once within the query's own turn, later in another one, or never once the query has ended. What `isAlone` ends its
   * turn: SQLite answers at once, so that of several reads that begin together all would end within one turn.
   */
  run<T>(work: () => T, isAlone?: boolean): Awaited<T> | Promise<Awaited<T>>
  /** What waits is dropped. */
  end(): void
  /** Processor time of its turns, in microseconds. */
  readonly spent: number
}

type Work = { act(): void; readonly isAlone: boolean }
type Member = { readonly works: Work[]; readonly check: () => void; isQueued: boolean; spent: number }

export function makeFieldScheduler() {
  const queue: Member[] = []
  let current: Member | undefined
  let endsAt = 0
  let isScheduled = false
  let cpu = process.threadCpuUsage()

  /** Promises that are settled in the first of the two are dealt with before the second: between them there is this query alone. */
  function schedule(): void {
    if (isScheduled || queue.length === 0) return
    isScheduled = true
    setImmediate(begin)
    setImmediate(finish)
  }

  async function begin(): Promise<void> {
    cpu = process.threadCpuUsage()
    endsAt = performance.now() + turnMs
    const member = queue.shift()!
    current = member
    member.isQueued = false
    member.check()
    // The last come first: what a list holds is done with, thing by thing, before the next of them is begun.
    while (member.works.length > 0 && performance.now() < endsAt) {
      const { act, isAlone } = member.works.pop()!
      act()
      if (isAlone) break
      await undefined
    }
  }

  function finish(): void {
    const { user, system } = process.threadCpuUsage(cpu)
    const member = current!
    member.spent += user + system
    current = undefined
    isScheduled = false
    if (member.works.length > 0) enqueue(member)
    schedule()
  }

  function enqueue(member: Member): void {
    if (!member.isQueued && member !== current) {
      member.isQueued = true
      queue.push(member)
    }
    schedule()
  }

  /** `check` is asked at the beginning of each turn, and may end the execution. */
  return (check: (execution: Execution) => void): Execution => {
    let isEnded = false
    const execution: Execution = {
      run<T>(work: () => T, isAlone = false): Awaited<T> | Promise<Awaited<T>> {
        if (isEnded) return new Promise<never>(() => {})
        if (!isAlone && current === member && performance.now() < endsAt) return work() as Awaited<T>
        return new Promise<Awaited<T>>((resolve, reject) => {
          const act = () => {
            try {
              resolve(work() as Awaited<T>)
            } catch (error) {
              reject(error)
            }
          }
          member.works.push({ act, isAlone })
          enqueue(member)
        })
      },
      end() {
        isEnded = true
        member.works.length = 0
      },
      get spent() {
        return member.spent
      },
    }
    const member: Member = { works: [], check: () => check(execution), isQueued: false, spent: 0 }
    return execution
  }
}
