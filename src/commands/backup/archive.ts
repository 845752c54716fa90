/** The archive of a backup: a .tar.gz of files and folders, and last a list of every file, its size and SHA-256. */
import { open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { packTar, type TarSummary, type TarWriter } from '../../store/files/tar-writing.ts'

export const listFile = 'backup.json'
/** Format 1 held the SQLite file itself; format 2 holds the rows, for either database. */
export const formatNumber = 2

/** The size and SHA-256 of each file, by path. */
export type FileList = Record<string, readonly [size: number, hash: string]>

export type Summary = TarSummary
export type Archive = TarWriter

/** The archive is written under another name, synced and renamed, so that it is complete or absent. */
export async function writeArchive(target: string, fill: (archive: Archive) => Promise<void>): Promise<Summary> {
  const draft = `${target}.partial`
  const files: FileList = {}
  let summary: Summary = { count: 0, bytes: 0 }
  try {
    const file = await open(draft, 'wx', 0o600)
    await packTar(
      (bytes) => pipeline(bytes, file.createWriteStream()),
      async (archive) => {
        await fill(archive)
        summary = { ...archive.summary() }
        const list = JSON.stringify({ format: formatNumber, madeAt: new Date().toISOString(), files })
        await archive.addBytes(listFile, Buffer.from(list))
      },
      {
        modes: 'private',
        note(name, size, hash) {
          files[name] = [size, hash]
        },
      },
    )
    await syncFile(draft)
    await rename(draft, target)
    return summary
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(draft, { force: true })
    throw error
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
