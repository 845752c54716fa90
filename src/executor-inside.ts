/** The executor inside: a worker account of its own, a token drawn anew at each start, and a process beside the server. */
import { hostname } from 'node:os'
import { type ChildExecutor, startChildExecutor } from './executor/child.ts'
import type { House } from './house.ts'

const accountName = 'guildhall-executor'

/** Answers undefined where none is wanted, or where its account's name is somebody's. */
export async function startExecutorInside(house: House, serverUrl: string): Promise<ChildExecutor | undefined> {
  const { settings, log } = house
  if (settings.executors === 0) return undefined
  const token = await drawWorkerToken(house)
  if (token === undefined) {
    log.error(`The account name ${accountName} is taken, so no executor runs inside; start one with: npm run executor`)
    return undefined
  }
  return startChildExecutor({
    serverUrl,
    token,
    parallelRuns: settings.executors,
    languagesPath: settings.languagesFile,
    logLevel: settings.logLevel,
    log,
  })
}

/** The token of an earlier start here, which may have been killed, ends with this one. */
async function drawWorkerToken({ accounts, tokens, settings }: House): Promise<string | undefined> {
  const draft = { name: accountName, displayName: 'Executor inside', role: 'worker' } as const
  const account = (await accounts.findByName(accountName)) ?? (await accounts.insert(draft))
  if (account.role !== 'worker') return undefined
  const note = `inside ${hostname()}:${settings.dataFolder}`
  for (const token of await tokens.list(account)) if (token.note === note) await tokens.revoke(token.id)
  return (await tokens.make(account, { kind: 'classic', scopes: ['judge'], note })).text
}
