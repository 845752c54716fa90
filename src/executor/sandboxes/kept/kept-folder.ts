/**
 * The private folder of a reused box: after each run it is verified to be unchanged, and its subfolder, which a program
 * may write to, is recreated. It is inspected from outside while no process of the box's user exists, so that nothing
 * changes meanwhile.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readdirSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
} from 'node:fs'
import { basename, join } from 'node:path'

export type KeptFolder = {
  /** Whether nothing of earlier runs is left, so that it is in its initial state. */
  restore(): boolean
}

/** O_TMPFILE without its directory bit, which differs between machines. */
const temporary = 0o20000000
/** How many files a run may create in the subfolder, including ours. */
const filesPerRun = 16
/**
 * The times set between two runs. Any change in the folder updates the second; the first is later than any other time
 * there, so that the kernel does not update it when the folder is read.
 */
const readAt = new Date('2100-01-01')
const changedAt = new Date(0)

/** Null if this program may not look into the box. `writable` is the path of the subfolder inside, if there is one. */
export function openKeptFolder(firstProcess: number | null, writable: string | undefined): KeptFolder | null {
  if (firstProcess === null) return null
  const folder = `/proc/${firstProcess}/root/box`
  const subfolder = writable === undefined ? null : join(folder, basename(writable))
  const names = subfolder === null ? [] : [basename(subfolder)]
  /** The file system numbers its files consecutively, including unnamed ones. */
  let lastNumber = 0

  /**
   * However many files the run created, the next run's get the same numbers: the remaining ones are used up here.
   * Without a subfolder a run can create none, since `isUnchanged` would notice.
   */
  const countOn = (): boolean => {
    const mostNumber = lastNumber + (subfolder === null ? 1 : filesPerRun)
    do lastNumber = makeUnnamed(folder)
    while (lastNumber < mostNumber)
    return lastNumber === mostNumber
  }
  const isUnchanged = () =>
    statSync(folder).mtimeMs === changedAt.getTime() && readdirSync(folder).join('\n') === names.join('\n')

  const attempt = (act: () => boolean): boolean => {
    try {
      return act()
    } catch {
      return false
    }
  }
  const renew = () => {
    if (subfolder !== null) {
      rmdirSync(subfolder)
      mkdirSync(subfolder)
      // Only a sticky folder's owner can change its attributes.
      chmodSync(subfolder, 0o1777)
      utimesSync(subfolder, readAt, changedAt)
    }
    utimesSync(folder, readAt, changedAt)
  }
  const isOpen = attempt(() => {
    renew()
    lastNumber = makeUnnamed(folder)
    return true
  })
  if (!isOpen) return null
  return {
    restore: () =>
      attempt(() => {
        if (!isUnchanged() || (subfolder !== null && !removeFiles(subfolder))) return false
        renew()
        return countOn()
      }),
  }
}

/** Returns false if there is more than a few plain files. Opens nothing and follows no link. */
function removeFiles(folder: string): boolean {
  const paths = listFew(folder).map((name) => join(folder, name))
  if (paths.length > filesPerRun || !paths.every((path) => lstatSync(path).isFile())) return false
  for (const path of paths) unlinkSync(path)
  return true
}

/** Reads only a few names: there may be any number of files. */
function listFew(path: string): string[] {
  const folder = opendirSync(path)
  const names: string[] = []
  try {
    while (names.length <= filesPerRun) {
      const entry = folder.readSync()
      if (!entry) break
      names.push(entry.name)
    }
    return names
  } finally {
    folder.closeSync()
  }
}

/** Creates an unnamed file, which leaves the folder's times unchanged, and returns its number. */
function makeUnnamed(folder: string): number {
  const descriptor = openSync(folder, temporary | constants.O_DIRECTORY | constants.O_RDWR, 0o600)
  try {
    return fstatSync(descriptor).ino
  } finally {
    closeSync(descriptor)
  }
}
