/** Whether the data folder is still the installation's own: a share that is unmounted leaves an empty folder in its place. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { readFolderId } from './folder-id.ts'

export type FolderWatch = {
  /** As of the last look, so that it costs nothing. */
  isAway(): boolean
  /** Looks anew. Answers in time, whatever the file system does: `ok`, or what is wrong. */
  check(): Promise<string>
  close(): void
}

const everyMs = 5_000
/** A network file system whose server is away holds whoever reads it for as long as it likes. */
const patienceMs = 1_000
/** A machine that is merely busy takes some seconds for a look, too: the folder is away once one has hung for so long. */
const hungMs = 12_000

export function watchFolder({ folder, id, log }: { folder: string; id: string; log: Log }): FolderWatch {
  let state = 'ok'
  let looking: Promise<void> | undefined
  let lookingSince = 0

  function note(found: string): void {
    if (found === state) return
    if (found === 'ok') log.info({ folder }, 'the data folder is back')
    else log.error({ folder, found }, 'the data folder is away: repositories can not be reached until it is back')
    state = found
  }

  async function look(): Promise<void> {
    const found = await readFolderId(folder).catch((error: NodeJS.ErrnoException) => `can't be read (${error.code})`)
    if (found === id) note('ok')
    else if (found === undefined) note('is not mounted')
    else note(found.startsWith("can't") ? found : 'is another installation’s')
  }

  /** One look at a time: those that hang would take all of the process's threads. */
  async function check(): Promise<string> {
    if (!looking) {
      lookingSince = performance.now()
      looking = look().finally(() => {
        looking = undefined
      })
    }
    const giveUp = new AbortController()
    const late = sleep(patienceMs, 'late', { ref: false, signal: giveUp.signal }).catch(() => 'over')
    const first = await Promise.race([looking, late])
    giveUp.abort()
    if (first === 'late' && performance.now() - lookingSince > hungMs) note('does not answer')
    return state
  }

  const timer = setInterval(() => void check(), everyMs).unref()
  return { isAway: () => state !== 'ok', check, close: () => clearInterval(timer) }
}

/** For the time of one command, which needs no files. */
export const unwatchedFolder: FolderWatch = { isAway: () => false, check: async () => 'ok', close() {} }
