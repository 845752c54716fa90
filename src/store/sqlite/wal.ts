/** SQLite's write-ahead log: how long its file may stay, and how it begins. */
import { closeSync, fdatasyncSync, openSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** Begun anew, a longer file is cut to this. */
export const walSizeLimit = 67_108_864

export const walOf = (path: string): string => `${path}-wal`

/**
 * SQLite syncs the head of a new log before its first frame, on the thread that writes it: so the first frame is written
 * before there are requests. What a killed server left in its log is synced, for readers see it at once.
 */
export function prepareWal(connection: DatabaseSync, path: string): void {
  try {
    if (statSync(walOf(path)).size === 0) writeFrame(connection)
  } catch {
    // On a full disk, say. There is much to read all the same, and the first write will tell.
  }
  const wal = openSync(walOf(path), 'r+')
  try {
    fdatasyncSync(wal)
  } finally {
    closeSync(wal)
  }
}

/** A commit that changes nothing: the version is a number for the application's use, and this one does not use it. */
export function writeFrame(connection: DatabaseSync): void {
  connection.exec('pragma user_version = 0')
}
