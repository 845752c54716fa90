/**
 * Makes commits durable beside the event loop: SQLite only appends them to its log, and the log is synced by a thread of
 * libuv's pool while requests go on. Until it is, the reading connection shows what was there before the commit.
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

/** Whether the commits that were being synced are kept, the next start will show. */
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
  /** Throws once a sync has failed. */
  demandSound(): void
  /** Runs the commit and answers when it is on disk; only then do readers see it, and `onVisible` is called at once. */
  commit(run: () => void, onVisible: () => void): Promise<void>
  isSound(): boolean
  /** Syncs what was committed without waiting for the disk. */
  close(): Promise<void>
}

export function makeDurability(path: string, reading: DatabaseSync, log?: Log): Durability {
  const wal = openSync(walOf(path), 'r+')
  const begin = reading.prepare('begin')
  const look = reading.prepare('select 1 from sqlite_schema limit 1')
  const end = reading.prepare('commit')
  let failure: LogSyncError | undefined

  /** A transaction sees from its first read on what was committed then. */
  function holdReaders(): void {
    begin.run()
    look.get()
  }

  /**
   * After a failed sync the system may have dropped what it could not write and report success the next time. Commits
   * after the gap would be lost with it, however often they were synced. So there are none: writes are refused, and
   * readers stay at the last state that is known to be on disk.
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
