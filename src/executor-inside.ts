/** The built-in executor: a child process with a worker account of its own and a token that is drawn at each start. */
import { hostname } from 'node:os'
import type { Account } from './accounts/actor.ts'
import { type ChildExecutor, startChildExecutor } from './executor/child.ts'
import type { House } from './house.ts'

const accountName = 'guildhall-executor'

/** Answers undefined where no executor is wanted, or where a user has taken its account's name. */
export async function startExecutorInside(house: House, serverUrl: string): Promise<ChildExecutor | undefined> {
  const { settings, log } = house
  if (settings.executors === 0) return undefined
  const account = await findAccount(house)
  if (account.role !== 'worker') {
    log.error(`The account name ${accountName} is taken, so no executor runs inside; start one with: npm run executor`)
    return undefined
  }
  const token = await drawToken(house, account)
  const returnHeld = async () => {
    // Servers that share a database share the account too, so what other executors hold can't be told apart.
    if (house.store.engine === 'sqlite') await house.judge.queue.returnHeldBy(account.id)
  }
  // An executor that was killed with its server may have left claims.
  await returnHeld()
  return startChildExecutor({
    serverUrl,
    token,
    parallelRuns: settings.executors,
    languagesPath: settings.languagesFile,
    logLevel: settings.logLevel,
    log,
    onDeath: () => void returnHeld().catch((error) => log.warn({ err: error }, 'what it judged waits for its lease')),
  })
}

async function findAccount({ accounts }: House): Promise<Account> {
  const draft = { name: accountName, displayName: 'Executor inside', role: 'worker' } as const
  return (await accounts.findByName(accountName)) ?? (await accounts.insert(draft))
}

/** Revokes the token of an earlier start of this server, which may have been killed, and draws a new one. */
async function drawToken({ tokens, settings }: House, account: Account): Promise<string> {
  const note = `inside ${hostname()}:${settings.dataFolder}`
  for (const token of await tokens.list(account)) if (token.note === note) await tokens.revoke(token.id)
  return (await tokens.make(account, { kind: 'classic', scopes: ['judge'], note })).text
}
