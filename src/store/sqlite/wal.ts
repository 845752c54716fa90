/** SQLite's write-ahead log: how long its file may stay, and how it is started. */
import { closeSync, fdatasyncSync, openSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** After a restart a longer file is truncated to this. */
export const walSizeLimit = 67_108_864

export const walOf = (path: string): string => `${path}-wal`

/**
 * SQLite syncs the header of a new log before its first frame, on the writing thread: so the first frame is written
 * before there are requests. What a killed server left in its log is synced, because readers see it at once.
 */
export function prepareWal(connection: DatabaseSync, path: string): void {
  try {
    if (statSync(walOf(path)).size === 0) writeFrame(connection)
  } catch {
    // For example on a full disk. Reads still work, and the first write will report it.
  }
  const wal = openSync(walOf(path), 'r+')
  try {
    fdatasyncSync(wal)
  } finally {
    closeSync(wal)
  }
}

/** A commit without changes: the version is a number for the application, and this one does not use it. */
export function writeFrame(connection: DatabaseSync): void {
  connection.exec('pragma user_version = 0')
}
