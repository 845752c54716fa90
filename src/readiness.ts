/** Whether the server can do its work now: database, data folder and the executor inside, in words for `/readyz`. */
import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { executorAccountName } from './accounts/account-rules.ts'
import type { FolderWatch } from './store/installation/folder-watch.ts'
import type { Store } from './store/store.ts'

/** The present state of the executor inside. */
export type ExecutorState = {
  isReady(): boolean
  isShort?(): boolean
  hasGivenUp?(): boolean
  hasTried?(): boolean
  isRefused?(): boolean
}

type Needs = {
  store: Store
  folder: FolderWatch
  dataFolder: string
  /** Undefined if no executor is wanted. */
  executorInside: (() => ExecutorState) | undefined
}

/** The server listens before its executor starts. */
export const notStarted = (): ExecutorState => ({ isReady: () => false })

/** `/readyz` answers within two seconds, whatever hangs. */
const readinessMs = 1_000

const noneInside = 'none inside'
const notYet = 'not yet'
const startedAgain = 'is being started again'
const cannotJudge = "can't judge on this machine: the log says why"
const refused = `is refused: the account ${executorAccountName} is suspended, or is not a worker`
const shortOfMachine = 'judges in some languages only, for want of the machine: the log says why'
const diskFull = 'is full: nothing new can be kept'

/** Enough to store a small change. */
const leastFreeBytes = 4 * 1024 * 1024

const databaseWords = {
  ok: 'ok',
  full: 'its disk is full: nothing new can be kept',
  busy: 'is busy: requests wait for its connections or its locks',
  'read-only': 'takes no changes',
  away: 'does not answer',
} as const

export function makeReadiness({ store, folder, dataFolder: path, executorInside }: Needs) {
  let hasJudged = false

  function describeExecutor(): string {
    if (!executorInside) return noneInside
    const executor = executorInside()
    if (executor.hasGivenUp?.()) return cannotJudge
    const isReady = executor.isReady()
    hasJudged ||= isReady || executor.hasTried?.() === true
    if (isReady) return executor.isShort?.() ? shortOfMachine : 'ok'
    if (executor.isRefused?.()) return refused
    // An executor that died is restarted. Submissions wait meanwhile, as they do while all slots are taken.
    return hasJudged ? startedAgain : notYet
  }

  return async () => {
    const pinging = store.ping().catch(() => 'away' as const)
    const state = await Promise.race([pinging, sleep(readinessMs, 'away' as const, { ref: false })])
    const executor = describeExecutor()
    const folderState = await folder.check()
    const dataFolder = folderState === 'ok' && (await isFull(path)) ? diskFull : folderState
    // A server that can read is ready. A full disk, or a machine that can't judge, is no reason to turn everybody away.
    const isReady = ['ok', 'full', 'busy'].includes(state) && folderState === 'ok' && executor !== notYet
    const isWhole = isReady && state === 'ok' && dataFolder === 'ok' && ['ok', noneInside].includes(executor)
    return { isReady, isWhole, database: databaseWords[state], dataFolder, executor }
  }
}

async function isFull(path: string): Promise<boolean> {
  const unknown = sleep(readinessMs, undefined, { ref: false })
  const found = await Promise.race([statfs(path).catch(() => undefined), unknown])
  return found !== undefined && found.bavail * found.bsize < leastFreeBytes
}
