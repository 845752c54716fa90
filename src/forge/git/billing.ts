/** The processor time of git's processes, on the account of whoever had them started. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

export type Bill = (cpuMicros: number) => void

const bills = new AsyncLocalStorage<Bill>()

/** Every git that the act starts is billed when it ends, be it after the act. */
export const billed = <T>(bill: Bill, act: () => T): T => bills.run(bill, act)

/** What all children took that have ended and are billed already. */
let knownMicros = 0

/**
 * The system tells what all ended children of a process took together, with theirs: what is new when one ends is that one's.
 * Of two that end in the same instant the first is billed for both. The executor beside us is a child as well: no more is
 * believed than there was time for.
 */
export function billChild(child: ChildProcess): void {
  const bill = bills.getStore()
  const startedAt = performance.now()
  child.once('exit', () => {
    const micros = readEndedMicros()
    const most = (performance.now() - startedAt) * 1000 * availableParallelism()
    bill?.(Math.min(micros - knownMicros, most))
    knownMicros = micros
  })
}

const tickMicros = 10_000

/** proc_pid_stat(5): `cutime` and `cstime`, in hundredths of a second. Where there is no /proc, git's time is not counted. */
function readEndedMicros(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * tickMicros
  } catch {
    return 0
  }
}
