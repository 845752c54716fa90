/**
 * The private folder of a box that is kept: proven after each run to be as it was made, and its subfolder, which a program may
 * write to, made anew. It is looked at from outside while no process of the box's user is there, so that nothing moves.
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
  /** Whether nothing of the runs so far is left: then it is as before the first. */
  restore(): boolean
}

/** O_TMPFILE without its bit for a folder, which is another on each machine. */
const temporary = 0o20000000
/** A run may make so many files in the subfolder, those of ours among them. */
const filesPerRun = 16
/**
 * The times between two runs. Any change of what is in the folder sets the second, by the clock; the first is later than any
 * other time there, so that the kernel does not set it when the folder is read.
 */
const readAt = new Date('2100-01-01')
const changedAt = new Date(0)

/** Answers null where this program may not look into the box. `writable` is the path of the subfolder inside, if there is one. */
export function openKeptFolder(firstProcess: number | null, writable: string | undefined): KeptFolder | null {
  if (firstProcess === null) return null
  const folder = `/proc/${firstProcess}/root/box`
  const subfolder = writable === undefined ? null : join(folder, basename(writable))
  const names = subfolder === null ? [] : [basename(subfolder)]
  /** The file system numbers its files one after another, those without a name too. */
  let lastNumber = 0

  /**
   * However many files the run had, the next one's have the same numbers: the rest is used up here. Where no file can stay
   * unseen by `isUnchanged`, there was none.
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
      // A sticky folder takes no attributes of its own from those who don't own it.
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

/** Answers false where there is more than a few plain files. Neither is anything opened, nor a link followed. */
function removeFiles(folder: string): boolean {
  const paths = listFew(folder).map((name) => join(folder, name))
  if (paths.length > filesPerRun || !paths.every((path) => lstatSync(path).isFile())) return false
  for (const path of paths) unlinkSync(path)
  return true
}

/** A file may have any number of names. */
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

/** Makes a file without a name, which leaves the folder's times alone, and answers its number. */
function makeUnnamed(folder: string): number {
  const descriptor = openSync(folder, temporary | constants.O_DIRECTORY | constants.O_RDWR, 0o600)
  try {
    return fstatSync(descriptor).ino
  } finally {
    closeSync(descriptor)
  }
}
