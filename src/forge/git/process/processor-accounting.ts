/** Charges git's processes to a caller: in whose queue they wait, and who pays for their processor time. */
import { AsyncLocalStorage } from 'node:async_hooks'

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

/** Bills whoever asks now for what ends later: a git, or work beside it. */
export function currentBill(): (cpuMicros: number) => void {
  const account = accounts.getStore()
  return (cpuMicros) => account?.bill?.(cpuMicros)
}
