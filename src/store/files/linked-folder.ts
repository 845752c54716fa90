/** A snapshot of a folder by hard links: Guildhall and git replace files and never change them in place. */
import { constants, existsSync } from 'node:fs'
import { copyFile, link, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../lib/failure.ts'

/** A folder that changes while it is read is read again, at most this often, until every listed file was there. */
const maxLooks = 20

/**
 * Links a folder as it is at one moment, or answers that it is not there. Each look begins anew: what is left of an earlier
 * one (a branch where there is a folder of branches now, the index of a pack that is gone) would not belong to it.
 */
export async function linkFolder(
  from: string,
  to: string,
  /** Which names of the folder itself, where not all are wanted. */
  isWanted: (name: string) => boolean = () => true,
): Promise<boolean> {
  for (let look = 1; look <= maxLooks; look++) {
    await rm(to, { recursive: true, force: true })
    if (!existsSync(from)) return false
    if (await linkEntries(from, to, isWanted)) return true
  }
  throw new OperatorError(`${from} changes too fast to be copied: try again when it is quieter.`)
}

/** Answers whether everything that was listed was still there. */
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

/** Files that are being written are left out: Guildhall's under `coming` among the blobs, and git's under these names, which no ref has. */
const isKept = (path: string): boolean =>
  !path.endsWith('.lock') &&
  !/\.git\/HEAD\.[^/]+$/.test(path) &&
  (path.includes('/refs/') ||
    !/\/blobs\/(?:migrations\/)?coming$|\/objects\/(?:[0-9a-f]{2}\/|pack\/)?tmp_[^/]*$/.test(path))

/**
 * Git writes objects before the refs that name them, and a pack before it deletes what it packed. Reading in the opposite
 * order finds everything that a ref names: refs, then packed refs, then the rest, then objects, loose ones before packs.
 */
const inSafeOrder = (a: string, b: string): number => rank(a) - rank(b) || (a < b ? -1 : 1)

const rank = (name: string): number => ({ refs: 0, 'packed-refs': 1, objects: 3 })[name] ?? 2

/** A file under another name, or a copy where the file system has no links. */
export async function linkFile(source: string, target: string): Promise<void> {
  try {
    await link(source, target)
  } catch (error) {
    // Some file systems have no hard links, and none can link to another disk.
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code!)) throw error
    await copyFile(source, target, constants.COPYFILE_FICLONE)
  }
}
