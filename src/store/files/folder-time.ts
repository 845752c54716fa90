/**
 * The time by which a folder dates its files. The clock of a server that shares the folder may be hours off, and what it
 * took for abandoned would be another's work.
 */
import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

const probePrefix = '.time-'

/** Where no file can be made, the machine's own clock has to do. */
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
