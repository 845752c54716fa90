/** The files of a backup: each repository that the rows name, and everything else in the data folder. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { asidePrefix, databaseFile, isTemporary } from '../../store/files/data-folder.ts'
import { linkFolder } from '../../store/files/linked-folder.ts'
import { idFile } from '../../store/installation/folder-id.ts'
import { repositoriesFolder } from '../../store/installation/inspection.ts'
import type { Archive } from './archive.ts'

/** Adds one repository at a time, so that at most one linked copy exists. Answers the missing ones. */
export async function addRepositories(
  archive: Archive,
  folder: string,
  stage: string,
  ids: readonly number[],
): Promise<string[]> {
  const missing: string[] = []
  for (const id of ids) {
    const name = join(repositoriesFolder, (id % 256).toString(16).padStart(2, '0'), `${id}.git`)
    const still = join(stage, `${id}.git`)
    if (await linkFolder(join(folder, name), still)) await archive.addFolder(still, name)
    else missing.push(join(folder, name))
    await rm(still, { recursive: true, force: true })
    // The repository's wiki, if it has one.
    const wiki = name.replace(/\.git$/, '.wiki.git')
    if (await linkFolder(join(folder, wiki), still)) await archive.addFolder(still, wiki)
    await rm(still, { recursive: true, force: true })
  }
  return missing
}

/** Skips the id, which comes with the rows, and what was set aside, which belongs to nobody. */
export async function addRest(archive: Archive, folder: string, stage: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const isOwn = name === repositoriesFolder || name === idFile || name.startsWith(databaseFile)
    if (isOwn || isTemporary(name) || name.startsWith(asidePrefix)) continue
    const path = join(folder, name)
    // A folder may be a link to a larger disk: it still belongs to the data.
    if (!(await stat(path)).isDirectory()) {
      await archive.addFile(path, name)
      continue
    }
    const still = join(stage, name)
    if (await linkFolder(path, still)) await archive.addFolder(still, name)
    await rm(still, { recursive: true, force: true })
  }
}
