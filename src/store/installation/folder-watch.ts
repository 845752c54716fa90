/**
 * Watches whether the data folder is still the installation's: an unmounted share leaves an empty folder in its place.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { readFolderId } from './folder-id.ts'

export type FolderWatch = {
  /** As of the last check, so that it costs nothing. */
  isAway(): boolean
  /** Checks again. Answers in time even if the file system hangs: `ok`, or what is wrong. */
  check(): Promise<string>
  close(): void
}

const everyMs = 5_000
/** A network file system whose server is unreachable blocks its readers for any length of time. */
const patienceMs = 1_000
/** A busy machine may also need some seconds for a check: the folder counts as away once one has hung for this long. */
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

  /** One check at a time: several hanging ones would occupy all threads of the process. */
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

/** For a single command that needs no files. */
export const unwatchedFolder: FolderWatch = { isAway: () => false, check: async () => 'ok', close() {} }
