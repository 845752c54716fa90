/** The data folder: checks that it is writable and used by only one server, and names its parts. */
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/failure.ts'

export const databaseFile = 'guildhall.db'
export const lockFile = 'serving.lock'
/** Present while a restore moves new files into the folder, which is incomplete until it is gone. */
export const restoringMark = 'restoring'

/** The prefix of a temporary file's name, from its creation until it is unlinked. */
export const temporaryPrefix = '.passing-'

/** The folder of temporary files. */
export const temporaryFolder = 'temporary'

/** Whether a name in the folder is a lock or a temporary file: backups leave these out, restores ignore them. */
export const isTemporary = (name: string): boolean =>
  name.startsWith(lockFile) ||
  name === restoringMark ||
  // An id that was never adopted, from an interrupted start.
  name.startsWith('installation-id.') ||
  name === temporaryFolder ||
  name.startsWith(temporaryPrefix) ||
  /^\.(?:backup|restore)-/.test(name)

/** The prefix of what a restore replaced. */
export const asidePrefix = 'replaced-'

/** Refuses a folder that can't be written or, if it does not exist, created. Leaves nothing behind. */
export function demandWritable(folder: string): void {
  const there = findExisting(folder)
  refuseUnwritable(there, () => tryFolder(there))
}

/** The folder itself, or its nearest existing ancestor. */
export const findExisting = (folder: string): string => (existsSync(folder) ? folder : findExisting(dirname(folder)))

/** Permissions are not enough: under /proc not even root can create files. */
function tryFolder(there: string): void {
  try {
    rmdirSync(mkdtempSync(join(there, temporaryPrefix)))
  } catch (error) {
    // A server can still run with a full disk.
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Creates the folder if it does not exist, or refuses it. */
export function prepareFolder(folder: string): void {
  refuseUnwritable(folder, () => makeFolders(folder))
}

function refuseUnwritable(folder: string, prepare: () => void): void {
  try {
    prepare()
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unwritable(folder, (error as NodeJS.ErrnoException).code ?? (error as Error).message)
  }
}

/** One by one: Node's recursive mkdir never ends where the system allows no folder (under /proc). */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolders(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Starting with incomplete files would create a new, empty database. */
export function demandWhole(folder: string): void {
  if (!existsSync(join(folder, restoringMark))) return
  throw new OperatorError(`A restore into ${folder} was cut short: run it again with --replace before you start.`)
}

/** One server per folder. The lock is the operating system's: it ends with the process, in any way. */
export function holdFolder(folder: string): () => void {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(join(folder, lockFile), { timeout: 0 })
    lock.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    lock?.close()
    const { errcode, message } = error as { errcode?: number; message: string }
    if (errcode !== sqliteBusy) throw unwritable(join(folder, lockFile), message)
    throw new OperatorError(
      `Another Guildhall serves the data folder ${folder}: stop it first, or set GUILDHALL_DATA to another.`,
    )
  }
  const held = lock
  return () => held.close()
}

const sqliteBusy = 5

const unwritable = (path: string, reason: string) =>
  new OperatorError(
    `The data folder can't be used: ${path} can't be written (${reason}): set GUILDHALL_DATA to one that can.`,
  )
