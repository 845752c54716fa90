/** The folders in which a backup collects files. They are touched while it runs; untouched ones are abandoned. */
import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readFolderTime } from './folder-time.ts'

export const backupStagePrefix = '.backup-'
const restoreStagePrefix = '.restore-'

export const touchEveryMs = 60_000
/** A backup that has stood still for so long is dead. */
const forgottenMs = 10 * touchEveryMs

export async function touchStage(path: string): Promise<void> {
  const now = new Date(await readFolderTime(dirname(path)))
  await utimes(path, now, now)
}

/** Removes the folders of backups that were killed; where no restore can run, of those as well. */
export async function removeForgottenStages(folder: string, isRestoring: boolean): Promise<void> {
  const before = (await readFolderTime(folder)) - forgottenMs
  for (const name of await readdir(folder)) {
    const isStage = name.startsWith(backupStagePrefix)
    const isOver = !isRestoring && name.startsWith(restoreStagePrefix)
    if (!isStage && !isOver) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && (isOver || found.mtimeMs < before)) await rm(path, { recursive: true, force: true })
  }
}
