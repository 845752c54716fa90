/** The folders of refs with slashes in their names. Git makes them for each ref it locks, and may leave them empty. */
import { readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { demand } from '../../../lib/failure.ts'
import type { RefChange } from '../push/ref-change.ts'
import { zeroId } from '../ref-name.ts'
import { blockBytes } from './repository-size.ts'

/** For one push: 64 MiB of the disk while git runs. */
const mostFolders = 16 * 1024

/** The distinct folders below `refs/heads`. Refuses more than git should make for one push, existing ones included. */
function listFolders(changes: readonly RefChange[]): Set<string> {
  const folders = new Set<string>()
  for (const { ref } of changes) {
    const below = ref.indexOf('/', 'refs/'.length) + 1
    for (let at = ref.lastIndexOf('/'); at > below; at = ref.lastIndexOf('/', at - 1)) {
      const folder = ref.slice(0, at)
      if (folders.has(folder)) break
      folders.add(folder)
      demand(folders.size <= mostFolders, 'invalid', 'too-many-folders', tooMany)
    }
  }
  return folders
}

const tooMany = `The names of these refs have more than ${mostFolders} folders: push fewer of them at once.`

/** The most that new refs take on disk until they are packed. */
export function foreseeRefs(changes: readonly RefChange[]): number {
  listFolders(changes)
  const made = changes.filter(({ before }) => before === zeroId)
  return blockBytes * (made.length + listFolders(made).size)
}

/** Git makes a missing folder again when it needs it. */
export async function removeEmptyFolders(repositoryFolder: string): Promise<void> {
  const refs = join(repositoryFolder, 'refs')
  for (const name of await listNames(refs)) await removeEmptyBelow(join(refs, name))
}

async function removeEmptyBelow(folder: string): Promise<void> {
  for (const name of await listNames(folder)) {
    const path = join(folder, name)
    await removeEmptyBelow(path)
    await rmdir(path).catch(() => {})
  }
}

const listNames = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}
