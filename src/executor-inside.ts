/** The built-in executor: a child process with a worker account of its own and a token of this server process alone. */
import { hostname } from 'node:os'
import { executorAccountName as accountName } from './accounts/account-rules.ts'
import type { Account } from './accounts/actor.ts'
import type { Token } from './accounts/tokens/token.ts'
import { type ChildExecutor, startChildExecutor } from './executor/child.ts'
import { claimInstance } from './executor/instance.ts'
import { nameBuiltIn } from './judge/judging/executors.ts'
import { ignoreOutage } from './lib/outages/outage.ts'
import type { Services } from './services.ts'

/** Undefined if no executor is wanted. */
export async function startExecutorInside(services: Services, serverUrl: string): Promise<ChildExecutor | undefined> {
  const { settings, log } = services
  if (settings.executors === 0) return undefined
  const account = await findAccount(services)
  if (account.role !== 'worker') {
    log.error(`The account name ${accountName} is taken, so no executor runs inside; start one with: npm run executor`)
    return refusedExecutor
  }
  const returnHeld = async () => {
    // Servers that share a database share the account, too, so other executors' claims can't be told apart.
    if (services.store.engine === 'sqlite') await services.judge.queue.returnHeldBy(account.id)
  }
  // An executor killed with its server may have left claims, and may still be listed as connected.
  await returnHeld()
  const { recordEnd } = services.judge.executors
  if (services.store.engine === 'sqlite') await recordEnd(account.id)
  const name = nameBuiltIn(hostname())
  const instance = claimInstance(name)
  const ownTokens = makeOwnTokens(services, account)
  await ownTokens.clear()
  const clearing = setInterval(() => {
    ownTokens.clear().catch((error) => log.warn({ err: error }, 'tokens that no executor uses could not be removed'))
  }, unusedAfterMs).unref()
  const executor = await startChildExecutor({
    serverUrl,
    issueToken: ownTokens.issue,
    name,
    instance: instance.id,
    parallelRuns: settings.executors,
    languagesPath: settings.languagesFile,
    without: settings.executorWithout,
    logLevel: settings.logLevel,
    log,
    onDeath: () => void returnHeld().catch((error) => log.warn({ err: error }, 'what it judged waits for its lease')),
  })
  return {
    isReady: executor.isReady,
    isShort: executor.isShort,
    hasGivenUp: executor.hasGivenUp,
    hasTried: executor.hasTried,
    isRefused: executor.isRefused,
    async stop() {
      clearInterval(clearing)
      await executor.stop()
      await recordEnd(account.id, { name, instance: instance.id }).catch(ignoreOutage)
      instance.release()
      await ownTokens.end().catch(ignoreOutage)
    },
  }
}

/** Used instead if there is no account to judge with. */
const refusedExecutor: ChildExecutor = {
  isReady: () => false,
  isShort: () => false,
  hasGivenUp: () => false,
  hasTried: () => true,
  isRefused: () => true,
  stop: async () => {},
}

async function findAccount({ accounts }: Services): Promise<Account> {
  const draft = { name: accountName, displayName: 'Executor inside', role: 'worker' } as const
  return (await accounts.findByName(accountName)) ?? (await accounts.insert(draft))
}

/** An executor uses its token every half a minute: a token unused for this long belongs to a dead process. */
const unusedAfterMs = 60 * 60_000
const notePrefix = 'inside '

/** One token per process: servers that share a database leave each other's alone. */
function makeOwnTokens({ tokens, store, clock }: Services, account: Account) {
  let mine: number | undefined
  const isLeft = ({ id, note, lastUsedAt, createdAt }: Token) =>
    id !== mine &&
    note.startsWith(notePrefix) &&
    // With an embedded database there is no other server.
    (store.engine === 'sqlite' || (lastUsedAt ?? createdAt).getTime() < clock.now() - unusedAfterMs)

  async function end(): Promise<void> {
    const isThere = (await tokens.list(account)).some(({ id }) => id === mine)
    if (mine !== undefined && isThere) await tokens.revoke(mine)
    mine = undefined
  }

  return {
    end,
    async issue(): Promise<string> {
      await end()
      const note = `${notePrefix}${hostname()}, process ${process.pid}`
      const { token, text } = await tokens.make(account, { kind: 'classic', scopes: ['judge'], note })
      mine = token.id
      return text
    },
    async clear(): Promise<void> {
      for (const token of (await tokens.list(account)).filter(isLeft)) await tokens.revoke(token.id)
    },
  }
}
