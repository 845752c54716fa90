/**
 * The output file of an export: written under a temporary name beside it, synced, and renamed once complete, so that a
 * failed export loses nothing.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../../lib/failure.ts'
import { syncFolder } from '../../lib/sync-folder.ts'
import type { Target } from './download.ts'

/** A pipe or a device is written to directly. */
export async function writeFileWhole<T>(path: string, fill: (target: Target) => Promise<T>): Promise<T> {
  const there = await stat(path).catch(() => null)
  if (there?.isDirectory()) throw new OperatorError(`${path} is a folder: say which file in it.`)
  if (there && !there.isFile()) return writeThrough(await openFile(path, path, 'a'), fill)
  // For a link, its target is written.
  const target = there ? await realpath(path) : path
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.partial`)
  const file = await openFile(path, draft, 'ax', there ? there.mode & 0o777 : undefined)
  try {
    const filled = await writeThrough(file, fill, true)
    await rename(draft, target)
    await syncFolder(dirname(target))
    return filled
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function writeThrough<T>(file: FileHandle, fill: (target: Target) => Promise<T>, isWhole = false): Promise<T> {
  try {
    const filled = await fill({
      async write(bytes) {
        for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
      },
      ...(isWhole && { restart: () => restart(file) }),
    })
    if (isWhole) await file.sync()
    return filled
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof OperatorError || !code) throw error
    throw new OperatorError(`The file can't be written (${code}).`)
  } finally {
    await file.close()
  }
}

/** The file is opened to append, so the position is at its end again after truncation. */
const restart = (file: FileHandle) => file.truncate(0)

async function openFile(path: string, draft: string, flags: string, mode?: number): Promise<FileHandle> {
  try {
    return await open(draft, flags, mode)
  } catch (error) {
    throw new OperatorError(`${path} can't be written (${(error as NodeJS.ErrnoException).code}).`)
  }
}
