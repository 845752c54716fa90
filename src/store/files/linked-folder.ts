/** A snapshot of a folder by hard links: Guildhall and git replace files and never change them in place. */
import { constants, existsSync } from 'node:fs'
import { copyFile, link, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../lib/failure.ts'

/** If a folder changes while it is read, it is read again, at most this often, until every listed file existed. */
const maxLooks = 20

/**
 * Links a folder as it is at one moment; returns false if it does not exist. Each try starts over: remains of an
 * earlier one (a branch whose name is now a folder, the index of a deleted pack) would be inconsistent.
 */
export async function linkFolder(
  from: string,
  to: string,
  /** Which names of the folder itself are wanted; all by default. */
  isWanted: (name: string) => boolean = () => true,
): Promise<boolean> {
  for (let look = 1; look <= maxLooks; look++) {
    await rm(to, { recursive: true, force: true })
    if (!existsSync(from)) return false
    if (await linkEntries(from, to, isWanted)) return true
  }
  throw new OperatorError(`${from} changes too fast to be copied: try again when it is quieter.`)
}

/** Returns whether everything that was listed still existed. */
async function linkEntries(from: string, to: string, isWanted: (name: string) => boolean): Promise<boolean> {
  try {
    await mkdir(to, { recursive: true, mode: 0o700 })
    const names = (await readdir(from)).filter((name) => isWanted(name) && isKept(join(from, name)))
    for (const name of names.sort(inSafeOrder)) {
      const [source, target] = [join(from, name), join(to, name)]
      const kind = await lstat(source)
      if (kind.isFile()) await linkFile(source, target)
      else if (!kind.isDirectory())
        throw new OperatorError(`${source} is neither a file nor a folder, and a backup holds nothing else.`)
      else if (!(await linkEntries(source, target, () => true))) return false
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
}

/**
 * Leaves out unfinished files: Guildhall's under `coming` among the blobs, and git's under these names, which no ref
 * can have.
 */
const isKept = (path: string): boolean =>
  !path.endsWith('.lock') &&
  !/\.git\/HEAD\.[^/]+$/.test(path) &&
  (path.includes('/refs/') ||
    !/\/blobs\/(?:migrations\/)?coming$|\/objects\/(?:[0-9a-f]{2}\/|pack\/)?tmp_[^/]*$/.test(path))

/**
 * Git writes objects before the refs to them, and a new pack before deleting what it packed. Reading in the opposite
 * order finds everything that a ref needs: refs, packed refs, the rest, then objects, loose ones before packs.
 */
const inSafeOrder = (a: string, b: string): number => rank(a) - rank(b) || (a < b ? -1 : 1)

const rank = (name: string): number => ({ refs: 0, 'packed-refs': 1, objects: 3 })[name] ?? 2

/** Links a file under another name, or copies it if the file system has no links. */
export async function linkFile(source: string, target: string): Promise<void> {
  try {
    await link(source, target)
  } catch (error) {
    // Some file systems have no hard links, and none can link to another disk.
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code!)) throw error
    await copyFile(source, target, constants.COPYFILE_FICLONE)
  }
}
