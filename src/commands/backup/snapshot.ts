/** A view of the data folder that stands still: hard links, for our files and git's are replaced, never changed in place. */
import { constants } from 'node:fs'
import { copyFile, link, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../base/failure.ts'
import { asidePrefix, databaseFile, isTemporary } from '../../store/files/data-folder.ts'

/** A folder that others work in is read again until a look finds all of it. */
const maxLooks = 20

/** May be called again: what is new is added, what was replaced is replaced, what is gone stays. */
export async function linkDataFolder(folder: string, stage: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (isTemporary(name) || name.startsWith(databaseFile) || name.startsWith(asidePrefix)) continue
    // A folder that was moved to a larger disk, with a link in its place, is still part of the data.
    const isFolder = (await stat(join(folder, name))).isDirectory()
    if (isFolder) await linkFolder(join(folder, name), join(stage, name))
    else await linkFile(join(folder, name), join(stage, name))
  }
}

async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (let look = 1; look <= maxLooks; look++) {
    if (await linkEntries(from, to)) return
  }
  throw new OperatorError(`${from} changes too fast to be copied: try again when it is quieter.`)
}

/** Whether everything that was listed was still there. */
async function linkEntries(from: string, to: string): Promise<boolean> {
  let isWhole = true
  for (const name of (await readdir(from)).filter((name) => isKept(join(from, name))).sort(inSafeOrder)) {
    const [source, target] = [join(from, name), join(to, name)]
    try {
      const kind = await lstat(source)
      if (kind.isDirectory()) await linkFolder(source, target)
      else if (kind.isFile()) await linkFile(source, target)
      else throw new OperatorError(`${source} is neither a file nor a folder, and a backup holds nothing else.`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      isWhole = false
    }
  }
  return isWhole
}

/** Files that are being written: ours under `blobs/coming`, git's under these names, never a ref. */
const isKept = (path: string): boolean =>
  !path.endsWith('.lock') &&
  (path.includes('/refs/') || !/\/blobs\/coming$|\/objects\/(?:[0-9a-f]{2}\/|pack\/)?tmp_[^/]*$/.test(path))

/**
 * Git writes objects before the refs that name them, and a pack before it deletes what it packed. Read in the other
 * order, what a ref names is there: refs, then packed refs, then the rest, then objects, loose ones before packs.
 */
const inSafeOrder = (a: string, b: string): number => rank(a) - rank(b) || (a < b ? -1 : 1)

const rank = (name: string): number => ({ refs: 0, 'packed-refs': 1, objects: 3 })[name] ?? 2

async function linkFile(source: string, target: string): Promise<void> {
  const there = await lstat(target).catch(() => undefined)
  if (there) {
    const { ino, dev } = await lstat(source)
    if (there.ino === ino && there.dev === dev) return
    await rm(target)
  }
  try {
    await link(source, target)
  } catch (error) {
    // Some file systems have no hard links, and none has one to another disk.
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code!)) throw error
    await copyFile(source, target, constants.COPYFILE_FICLONE)
  }
}
