/**
 * The scheduler of fields: queries execute their fields in short turns, round robin, so that all other requests are
 * served in between.
 */

/** The longest turn, and so the longest delay of others, apart from the duration of one field. */
const turnMs = 5

export type Execution = {
  /**
   * Runs the work at once if it is this query's turn, otherwise in a later turn, or never if the query has ended.
   * `isAlone` ends the turn after this work: SQLite answers synchronously, so several reads would all run within one
   * turn.
   */
  run<T>(work: () => T, isAlone?: boolean): Awaited<T> | Promise<Awaited<T>>
  /** Drops all waiting work. */
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

  /** Promises settled in the first callback are handled before the second: in between, only this query runs. */
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
    // Last in, first out: one list item is finished, with all that it contains, before the next begins.
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

  /** `check` runs at the start of each turn and may end the execution. */
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
