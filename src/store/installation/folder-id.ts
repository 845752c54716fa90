/** The installation's id in the data folder: a small file that is complete or absent. */
import { constants } from 'node:fs'
import { copyFile, link, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../lib/sync-folder.ts'

export const idFile = 'installation-id'

/** An id that the folder gets as soon as the database has it. */
const offerFile = (id: string): string => `${idFile}.${id}`

export const isOffer = (name: string): boolean => name.startsWith(`${idFile}.`)

export async function readFolderId(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, idFile), 'utf8')).trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function hasOffer(folder: string, id: string): Promise<boolean> {
  try {
    return (await readdir(folder)).includes(offerFile(id))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/**
 * The first of three steps: write the offer here, store the id in the database, rename the offer. A start after a crash
 * in between completes them.
 */
export async function writeOffer(folder: string, id: string): Promise<void> {
  const file = await open(join(folder, offerFile(id)), 'wx', 0o600)
  try {
    await file.writeFile(`${id}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(folder)
}

/** The last step. If another database's server was faster, its id stays. */
export async function placeOffer(folder: string, id: string): Promise<void> {
  const offer = join(folder, offerFile(id))
  await linkOnce(offer, join(folder, idFile))
  await rm(offer, { force: true })
  await syncFolder(folder)
}

/** A link never replaces an existing file; on file systems without links it is copied. */
async function linkOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST' || error.code === 'ENOENT') throw error
      return copyFile(from, to, constants.COPYFILE_EXCL)
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another server of the same database may have completed the step.
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error
  }
}

/** Before another id replaces it: until then the folder belongs to no database. */
export async function removeFolderId(folder: string): Promise<void> {
  await rm(join(folder, idFile), { force: true })
  await syncFolder(folder)
}
