/** Charges git's processes to a caller: in whose queue they wait, and who is billed for their processor time. */
import { AsyncLocalStorage } from 'node:async_hooks'

export type GitAccount = {
  /** For example `user:7` or `ip:127.0.0.1`. */
  readonly caller: string
  bill?(cpuMicros: number): void
}

const accounts = new AsyncLocalStorage<GitAccount>()

/** Every git that the act starts is on the account, even if it ends after the act. */
export const onAccount = <T>(account: GitAccount, act: () => T): T => accounts.run(account, act)

/** The server's own work (maintenance, recovery) counts as one caller among the others. */
export const currentCaller = (): string => accounts.getStore()?.caller ?? 'server'

/** The present request's account; each request has its own. */
export const currentAccount = (): GitAccount | undefined => accounts.getStore()

/** Binds the current account for work that ends later: a git process, or an inspection. */
export function currentBill(): (cpuMicros: number) => void {
  const account = accounts.getStore()
  return (cpuMicros) => account?.bill?.(cpuMicros)
}
