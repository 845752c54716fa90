/** Who is signed in, and what this server offers. The session itself is a cookie that no script can read. */
import { Fault } from '../api/fault.ts'
import type { Account, ServerInfo } from '../api/operations.ts'
import { call, callAll, openAnswer } from '../api/rpc.ts'
import { forgetAll } from './load.ts'
import { makeStore, useStore } from './store.ts'

export type Session = {
  /** Undefined: nobody is signed in. */
  readonly account: Account | undefined
  readonly info: ServerInfo
}

const store = makeStore<Session | undefined>(undefined)

export const useSession = (): Session => useStore(store)!
export const getSession = (): Session => store.get()!

export async function openSession(): Promise<void> {
  const [info, who] = await callAll([
    ['get_server_info', {}],
    ['get_session', {}],
  ])
  const account = who!.error ? undefined : openAnswer<{ Account: Account }>(who!).Account
  if (who!.error && who!.error.code !== 17) throw new Fault(who!.error.code, who!.error.message)
  store.set({ info: openAnswer<ServerInfo>(info!), account })
}

export async function signIn(AccountName: string, Password: string): Promise<void> {
  const { Account } = await call('create_session', { AccountName, Password })
  become(Account)
}

export async function signOut(): Promise<void> {
  await call('delete_session', {})
  become(undefined)
}

/** Forgets everything that was read as another account. */
function become(account: Account | undefined): void {
  forgetAll()
  store.set({ ...getSession(), account })
}

/** The server knows the session no more: views send to the sign-in and back. */
export const loseSession = (): void => become(undefined)

export const noteAccount = (account: Account): void => store.set({ ...getSession(), account })
export const noteInfo = (info: ServerInfo): void => store.set({ ...getSession(), info })

export const isSetter = ({ account }: Session): boolean =>
  account?.Role === 'admin' || account?.Role === 'problem_setter'
export const isAdmin = ({ account }: Session): boolean => account?.Role === 'admin'
/** The author of a problem, and admins, can change it and its tests. */
export const ownsProblem = (session: Session, { Author }: { readonly Author: Account }): boolean =>
  isAdmin(session) || (isSetter(session) && session.account?.ID === Author.ID)
export const languageName = (value: string): string =>
  getSession().info.SupportedLanguageList.find(({ Value }) => Value === value)?.Name ?? value
