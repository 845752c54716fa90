/**
 * Makes commits durable beside the event loop: SQLite only appends them to its log, and a thread of libuv's pool syncs
 * the log while requests go on. Until then the reading connection shows the state before the commit.
 */
import { close, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '../../lib/log.ts'
import { logSyncFailed } from '../../lib/outages/outage.ts'
import { walOf } from './wal.ts'

const syncData = (file: number): Promise<void> =>
  new Promise((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : resolve())))
const closeFile = (file: number): Promise<void> =>
  new Promise((resolve, reject) => close(file, (error) => (error ? reject(error) : resolve())))

/** Only the next start shows whether the commits being synced have survived. */
export class LogSyncError extends Error {
  override readonly name = 'LogSyncError'
  readonly code = logSyncFailed
  constructor(cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException
    const reason = code ?? message
    super(`The database's log could not be synced (${reason}): nothing is written until the server is started again.`, {
      cause,
    })
  }
}

export type Durability = {
  /** Throws after a failed sync. */
  demandSound(): void
  /**
   * Runs the commit and resolves when it is on disk; only then do readers see it, and `onVisible` is called at once.
   */
  commit(run: () => void, onVisible: () => void): Promise<void>
  isSound(): boolean
  /** Syncs outstanding commits without waiting for the disk. */
  close(): Promise<void>
}

export function makeDurability(path: string, reading: DatabaseSync, log?: Log): Durability {
  const wal = openSync(walOf(path), 'r+')
  const begin = reading.prepare('begin')
  const look = reading.prepare('select 1 from sqlite_schema limit 1')
  const end = reading.prepare('commit')
  let failure: LogSyncError | undefined

  /** From its first read on, a transaction sees the state committed by then. */
  function holdReaders(): void {
    begin.run()
    look.get()
  }

  /**
   * After a failed sync the system may have dropped unwritten data, and report success the next time. Later commits
   * would be lost with the gap, however often they were synced. So there are none: writes are refused, and readers stay
   * at the last state known to be on disk.
   */
  async function syncLog(): Promise<void> {
    try {
      await syncData(wal)
    } catch (error) {
      failure = new LogSyncError(error)
      log?.fatal({ err: failure }, 'writes are refused from now on')
      throw failure
    }
  }

  return {
    demandSound() {
      if (failure) throw failure
    },
    async commit(run, onVisible) {
      holdReaders()
      try {
        run()
      } catch (error) {
        end.run()
        throw error
      }
      await syncLog()
      end.run()
      onVisible()
    },
    isSound: () => failure === undefined,
    async close() {
      if (!failure) await syncLog()
      await closeFile(wal)
    },
  }
}
