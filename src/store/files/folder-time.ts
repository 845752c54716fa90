/**
 * The clock of the folder's file system. The clock of a server that shares the folder may be hours off, and it would
 * delete another's work as abandoned.
 */
import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

const probePrefix = '.time-'

/** If no file can be created, falls back to the machine's clock. */
export async function readFolderTime(folder: string): Promise<number> {
  const path = join(folder, probePrefix + randomUUID())
  try {
    const probe = await open(path, 'wx', 0o600)
    try {
      return (await probe.stat()).mtimeMs
    } finally {
      await probe.close()
      await rm(path, { force: true })
    }
  } catch {
    return Date.now()
  }
}
