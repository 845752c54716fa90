/** Measures objects that git wrote into a draft and moves them: packs before the indexes by which git finds them. */
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { syncFolder } from '../../../lib/sync-folder.ts'
import { blockBytes } from '../folders/repository-size.ts'

const objectPath = /^(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40}\.(?:pack|rev|idx))$/

/** The size in KiB of an `objects` folder: at least what git will count once they are moved. */
export async function measureObjects(folder: string): Promise<number> {
  let bytes = 0
  for (const path of await listPaths(folder)) {
    const { size } = await stat(join(folder, path))
    bytes += path.startsWith('pack/') ? size : Math.ceil(size / blockBytes) * blockBytes
  }
  return Math.ceil(bytes / 1024)
}

/**
 * Moves objects from one `objects` folder to another. Git takes them as written `at` that time, which decides how long
 * it keeps unreachable ones. Answers whether any of them was new.
 */
export async function moveObjects(from: string, to: string, at?: Date): Promise<boolean> {
  const paths = await listPaths(from)
  const inOrder = [...paths.filter((path) => !path.endsWith('.idx')), ...paths.filter((path) => path.endsWith('.idx'))]
  const folders = new Set([to])
  for (const path of inOrder) {
    const place = join(to, path)
    // Another call has written the same object meanwhile.
    if (await isThere(place)) continue
    // Not recursive: if the data folder is unmounted, nothing may be made in its place.
    await mkdir(dirname(place)).catch(unlessThere)
    if (at) await utimes(join(from, path), at, at)
    await rename(join(from, path), place)
    folders.add(dirname(place))
  }
  for (const folder of folders) await syncFolder(folder)
  return folders.size > 1
}

/** Sets the time of writing of those objects that are loose. */
export async function dateObjects(folder: string, names: readonly string[], at: Date): Promise<void> {
  for (const name of names)
    await utimes(join(folder, name.slice(0, 2), name.slice(2)), at, at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
}

async function listPaths(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  return files
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => objectPath.test(path))
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
