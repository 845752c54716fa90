/** The folders in which backups collect files. They are touched while a backup runs; untouched ones are abandoned. */
import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readFolderTime } from './folder-time.ts'

export const backupStagePrefix = '.backup-'
const restoreStagePrefix = '.restore-'

export const touchEveryMs = 60_000
/** A backup that has not touched its folder for this long is dead. */
const forgottenMs = 10 * touchEveryMs

export async function touchStage(path: string): Promise<void> {
  const now = new Date(await readFolderTime(dirname(path)))
  await utimes(path, now, now)
}

/** Removes the folders of killed backups, and, if no restore can be running, those of killed restores. */
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
