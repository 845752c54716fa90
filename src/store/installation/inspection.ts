/** Inspects a data folder and a database to find out whether they belong together. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseFile } from '../files/data-folder.ts'
import type { Db } from '../schema/schema.ts'
import type { Store } from '../store.ts'
import { readFolderId } from './folder-id.ts'
import type { DatabaseState, FolderState } from './pair.ts'

export const repositoriesFolder = 'repositories'
/** In the data folder: repositories' folders without a row, one folder per day, until an administrator deletes them. */
export const asideFolder = 'aside'
export const blobsFolder = 'blobs'

export async function inspectFolder(folder: string, engine: Store['engine']): Promise<FolderState> {
  const id = await readFolderId(folder)
  const holdsOtherDatabase = engine === 'postgres' && existsSync(join(folder, databaseFile))
  return { id, hasContent: holdsOtherDatabase || (await hasRepositories(folder)) || (await hasBlobs(folder)) }
}

export async function inspectDatabase(db: Db): Promise<DatabaseState> {
  const row = await db.selectFrom('installation').select('id').executeTakeFirst()
  const account = await db.selectFrom('account').select('id').limit(1).executeTakeFirst()
  const repository = await db.selectFrom('repository').select('id').limit(1).executeTakeFirst()
  return { id: row?.id, hasRows: account !== undefined, hasRepositories: repository !== undefined }
}

/** Whether a folder of an older version may belong to this database: not if they have no repository in common. */
export async function sharesRepository(db: Db, folder: string): Promise<boolean> {
  let isEmpty = true
  for await (const ids of listRepositoryFolders(folder)) {
    isEmpty = false
    const found = await db.selectFrom('repository').select('id').where('id', 'in', ids).limit(1).executeTakeFirst()
    if (found) return true
  }
  // The folder has only files, which prove nothing, unless there should be repositories as well.
  if (!isEmpty) return false
  return (await db.selectFrom('repository').select('id').limit(1).executeTakeFirst()) === undefined
}

/** The ids of repositories that have a folder, in portions of at most some hundred. */
export async function* listRepositoryFolders(folder: string): AsyncGenerator<number[]> {
  const root = join(folder, repositoriesFolder)
  for (const shard of (await namesIn(root)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    const ids = (await namesIn(join(root, shard)))
      .map((name) => Number(/^([1-9]\d*)\.git$/.exec(name)?.[1]))
      .filter((id) => id > 0)
    while (ids.length > 0) yield ids.splice(0, 500)
  }
}

async function hasRepositories(folder: string): Promise<boolean> {
  for await (const ids of listRepositoryFolders(folder)) if (ids.length > 0) return true
  return false
}

async function hasBlobs(folder: string): Promise<boolean> {
  for (const shard of await namesIn(join(folder, blobsFolder))) {
    if (/^[0-9a-f]{2}$/.test(shard) && (await namesIn(join(folder, blobsFolder, shard))).length > 0) return true
  }
  return false
}

/** Empty if there is no such folder; any other error must not be taken for an empty one. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
