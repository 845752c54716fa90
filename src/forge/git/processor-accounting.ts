/** On whose account git's processes are: who waits in whose line for them, and who is billed for their processor time. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

export type GitAccount = {
  /** `user:7`, `ip:127.0.0.1`. */
  readonly caller: string
  bill?(cpuMicros: number): void
}

const accounts = new AsyncLocalStorage<GitAccount>()

/** Every git that the act starts is on the account, be it that it ends after the act. */
export const onAccount = <T>(account: GitAccount, act: () => T): T => accounts.run(account, act)

/** The server's own work (tidying, recovery) is one caller among the others. */
export const currentCaller = (): string => accounts.getStore()?.caller ?? 'server'

/** Bills work that is done beside git, whenever it ends. */
export function currentBill(): (cpuMicros: number) => void {
  const account = accounts.getStore()
  return (cpuMicros) => account?.bill?.(cpuMicros)
}

/** What all children took that have ended and are billed already. */
let knownMicros = 0

/**
 * The system tells what all ended children of a process took together, with theirs: what is new when one ends is that one's.
 * Of two that end in the same instant the first is billed for both. The executor beside us is a child as well: no more is
 * believed than there was time for.
 */
export function billChild(child: ChildProcess): void {
  const account = accounts.getStore()
  const startedAt = performance.now()
  child.once('exit', () => {
    const micros = readEndedMicros()
    const most = (performance.now() - startedAt) * 1000 * availableParallelism()
    account?.bill?.(Math.min(micros - knownMicros, most))
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
