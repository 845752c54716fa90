/** A snapshot of the data folder by hard links: Guildhall and git replace files and never change them in place. */
import { constants } from 'node:fs'
import { copyFile, link, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../base/failure.ts'
import { asidePrefix, databaseFile, isTemporary } from '../../store/files/data-folder.ts'

/** A folder that changes while it is read is read again, at most this often, until every listed file was there. */
const maxLooks = 20

/** Called again, it adds new files, replaces those that were replaced, and keeps those that were deleted. */
export async function linkDataFolder(folder: string, stage: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (isTemporary(name) || name.startsWith(databaseFile) || name.startsWith(asidePrefix)) continue
    // A symbolic link to a folder on a larger disk is part of the data, so it is followed.
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

/** Answers whether everything that was listed was still there. */
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

/** Files that are being written are left out: Guildhall's under `blobs/coming`, and git's under these names, which no ref has. */
const isKept = (path: string): boolean =>
  !path.endsWith('.lock') &&
  (path.includes('/refs/') || !/\/blobs\/coming$|\/objects\/(?:[0-9a-f]{2}\/|pack\/)?tmp_[^/]*$/.test(path))

/**
 * Git writes objects before the refs that name them, and a pack before it deletes what it packed. Reading in the opposite
 * order finds everything that a ref names: refs, then packed refs, then the rest, then objects, loose ones before packs.
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
    // Some file systems have no hard links, and none can link to another disk.
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code!)) throw error
    await copyFile(source, target, constants.COPYFILE_FICLONE)
  }
}
