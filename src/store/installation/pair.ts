/** Decides from two inspections whether a data folder and a database belong together. Pure. */

export type FolderState = {
  readonly id: string | undefined
  /** Whether it contains repositories, files or another database. */
  readonly hasContent: boolean
}

export type DatabaseState = {
  readonly id: string | undefined
  readonly hasRows: boolean
  readonly hasRepositories: boolean
}

export type Pair =
  | 'matches'
  /** Both are new, or of a version without ids: they get one. */
  | 'unnamed'
  /** The database is empty, but the folder is not. */
  | 'empty-database'
  /** The database has a folder, but this one is new. */
  | 'empty-folder'
  /** Each belongs to another one. */
  | 'strangers'

/** `shares`: whether they have a repository in common; checked only for pairs without an id. */
export function checkPair(folder: FolderState, database: DatabaseState, shares: boolean): Pair {
  if (folder.id !== undefined && folder.id === database.id) return 'matches'
  const isFolderNew = folder.id === undefined && !folder.hasContent
  const isDatabaseEmpty = database.id === undefined && !database.hasRows
  if (isFolderNew && isDatabaseEmpty) return 'unnamed'
  if (isDatabaseEmpty) return 'empty-database'
  if (isFolderNew) return database.id === undefined && !database.hasRepositories ? 'unnamed' : 'empty-folder'
  if (folder.id !== undefined || database.id !== undefined) return 'strangers'
  return shares ? 'unnamed' : 'strangers'
}
