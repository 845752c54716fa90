/** The data folder: checks that it is writable and used by one server only, and names its parts. */
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/failure.ts'

export const databaseFile = 'guildhall.db'
export const lockFile = 'serving.lock'
/** Lies in the folder while a restore moves the new files in: until it is gone, they are not all there. */
export const restoringMark = 'restoring'

/** The name of a temporary file begins so, from its creation until it is unlinked. */
export const temporaryPrefix = '.passing-'

/** The folder they lie in. */
export const temporaryFolder = 'temporary'

/** Whether a name in the folder is that of a lock or a temporary file: a backup leaves these out, a restore ignores them. */
export const isTemporary = (name: string): boolean =>
  name.startsWith(lockFile) ||
  name === restoringMark ||
  // An id that did not become the folder's, of a start that was cut short.
  name.startsWith('installation-id.') ||
  name === temporaryFolder ||
  name.startsWith(temporaryPrefix) ||
  /^\.(?:backup|restore)-/.test(name)

/** What a restore put aside. */
export const asidePrefix = 'replaced-'

/** Refuses a folder that can't be written or, where it is not there, be made. Leaves nothing behind. */
export function demandWritable(folder: string): void {
  const there = findExisting(folder)
  refuseUnwritable(there, () => tryFolder(there))
}

/** The folder itself, or the nearest above it that is there. */
export const findExisting = (folder: string): string => (existsSync(folder) ? folder : findExisting(dirname(folder)))

/** The rights of a folder do not tell all: under /proc even root, who may write everywhere, makes nothing. */
function tryFolder(there: string): void {
  try {
    rmdirSync(mkdtempSync(join(there, temporaryPrefix)))
  } catch (error) {
    // A full disk can still be served.
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Makes the folder where it is not there, or refuses it. */
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

/** One by one: Node's own recursive way never ends where the system has no such place (under /proc). */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolders(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** A start on half of the files would make a new, empty database of them. */
export function demandWhole(folder: string): void {
  if (!existsSync(join(folder, restoringMark))) return
  throw new OperatorError(`A restore into ${folder} was cut short: run it again with --replace before you start.`)
}

/** One server a folder. The lock is the system's own: it goes with the process, however that ends. */
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
