/** Makes one export: takes a snapshot, links the files, packs the records and files, and writes the manifest last. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Accounts } from '../../accounts/accounts.ts'
import { actingFor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import type { TarWriter } from '../../store/files/tar-writing.ts'
import { takeHold } from '../../store/installation/backup-hold.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Opening } from '../access/opening.ts'
import type { Git } from '../git/process/git.ts'
import { listLfsObjects } from '../lfs/lfs-rows.ts'
import { countRows } from '../row-pages.ts'
import { type ExportAct, refuseExport } from './export-job.ts'
import { copyRepository, copyWiki } from './git-copies.ts'
import { flagsOf, type MigrationRow } from './migration.ts'
import {
  type ExportContext,
  type ExportedRepository,
  gitPath,
  makeExportContext,
  readExported,
  wikiPath,
} from './records/export-context.ts'
import { makeRecordFiles } from './records/record-files.ts'
import { writeRecords } from './records/records.ts'
import { makeStoredFiles, type StoredFiles } from './records/stored-files.ts'
import { stagePrefix } from './retention.ts'

/** The version of the archive's format; a reader refuses versions that it does not know. */
export const archiveVersion = '1.0.0'

/** The same time for every entry: two exports of unchanged data are equal, byte for byte. */
const entryTime = new Date(0)

type Needs = {
  store: Store
  clock: Clock
  accounts: Accounts
  opening: Opening
  git: Git
  blobs: Blobs
  temporaryFolder: string
}

/** `wikis`: the repositories that have a wiki. */
type LinkedFiles = { readonly bytes: number; readonly wikis: ReadonlySet<number> }

type ListedFile = { readonly path: string; readonly sha256: string; readonly bytes: number }

export function makeExporting({ store, clock, accounts, opening, git, blobs, temporaryFolder }: Needs): ExportAct {
  /** The owner may have lost rights since the request: an export needs admin rights to every repository now. */
  async function readRepositories(db: Db, row: MigrationRow): Promise<ExportedRepository[]> {
    const account = await accounts.findById(row.owner_id)
    if (!account || account.isSuspended) throw refuseExport('The account is suspended.')
    const links = await db
      .selectFrom('migration_repository')
      .select('repository_id')
      .where('migration_id', '=', row.id)
      .execute()
    if (links.length < row.repository_count)
      throw refuseExport('A repository of the migration was deleted before the export began.')
    const actor = actingFor(account)
    for (const { repository_id } of links) {
      const found = await opening.find(actor, { id: repository_id }, db)
      if (!found || !reaches(found.level, 'admin'))
        throw refuseExport('You no longer administer a repository of the migration.')
    }
    return readExported(
      db,
      links.map(({ repository_id }) => repository_id),
    )
  }

  /** Deletions wait until everything in the snapshot is linked. */
  async function linkFiles(db: Db, stage: string, repositories: readonly ExportedRepository[]): Promise<LinkedFiles> {
    let bytes = 0
    const wikis = new Set<number>()
    for (const repository of repositories) {
      const folder = join(stage, `${repository.id}.git`)
      await copyRepository({ folderOf: git.folderOf, snapshot: db, live: store.db }, repository, folder)
      bytes += await measure(folder)
      const wiki = join(stage, `${repository.id}.wiki.git`)
      if (!(await copyWiki(git.folderOf({ id: repository.id, isWiki: true }), wiki))) continue
      wikis.add(repository.id)
      bytes += await measure(wiki)
    }
    return { bytes, wikis }
  }

  /** Large files go where git-lfs keeps them, so that a client that clones the unpacked archive finds them. */
  async function linkLargeFiles(
    db: Db,
    stored: StoredFiles,
    repositories: readonly ExportedRepository[],
  ): Promise<number> {
    let bytes = 0
    for (const repository of repositories) {
      for await (const { oid, size } of listLfsObjects(db, repository)) {
        await stored.add(oid, `${gitPath(repository)}/lfs/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`)
        bytes += size
      }
    }
    return bytes
  }

  async function removeEarlierStages(id: number): Promise<void> {
    for (const name of await readdir(temporaryFolder)) {
      if (name.startsWith(`${stagePrefix}${id}-`))
        await rm(join(temporaryFolder, name), { recursive: true, force: true, maxRetries: 3 })
    }
  }

  return async (row, put, { signal, progress }) => {
    const stage = join(temporaryFolder, `${stagePrefix}${row.id}-${randomUUID()}`)
    const flags = flagsOf(row)
    const listed: ListedFile[] = []
    let expected = Number.POSITIVE_INFINITY
    let done = 0

    async function fill(tar: TarWriter): Promise<void> {
      await tar.addBytes('schema.json', spell({ version: archiveVersion }))
      let repositories: ExportedRepository[] = []
      const stored = makeStoredFiles(blobs, stage)
      let linked: LinkedFiles = { bytes: 0, wikis: new Set() }
      const hold = await takeHold(store.write, clock.now)
      const held = { release: () => hold.release() }
      try {
        await store.readSnapshot(async (db) => {
          repositories = await readRepositories(db, row)
          const withGit = flags.orgMetadataOnly || flags.excludeGitData ? [] : repositories
          linked = await linkFiles(db, stage, withGit)
          expected = linked.bytes + (await guessRecordBytes(db, repositories))
          expected += await linkLargeFiles(db, stored, withGit)
          await held.release()
          held.release = async () => {}
          if (flags.excludeMetadata && !flags.orgMetadataOnly) return
          const files = makeRecordFiles(tar, signal)
          const context: ExportContext = makeExportContext({
            db,
            files,
            flags,
            ownerId: row.owner_id,
            origin: row.origin,
            repositories,
            stored,
            wikis: linked.wikis,
          })
          await writeRecords(context)
        })
      } finally {
        await held.release()
      }
      for (const { path, name } of stored.list()) await tar.addFile(path, name)
      if (!flags.orgMetadataOnly && !flags.excludeGitData) {
        for (const repository of repositories) {
          await tar.addFolder(join(stage, `${repository.id}.git`), gitPath(repository))
          if (linked.wikis.has(repository.id))
            await tar.addFolder(join(stage, `${repository.id}.wiki.git`), wikiPath(repository))
        }
      }
      const inOrder = listed.sort((a, b) => (a.path < b.path ? -1 : 1))
      await tar.addBytes('manifest.json', spell({ version: archiveVersion, files: inOrder }))
    }

    await removeEarlierStages(row.id)
    await mkdir(stage, { mode: 0o700 })
    try {
      // The packer is loaded only when it is used.
      const { packTar } = await import('../../store/files/tar-writing.ts')
      return await packTar(put, fill, {
        modes: 'shared',
        mtime: entryTime,
        note(path, bytes, sha256) {
          signal.throwIfAborted()
          listed.push({ path, sha256, bytes })
          done += bytes
          progress((100 * done) / expected)
        },
      })
    } finally {
      await rm(stage, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

const usualRecordBytes = 800

/** Only for the progress display. */
async function guessRecordBytes(db: Db, repositories: readonly ExportedRepository[]): Promise<number> {
  if (repositories.length === 0) return usualRecordBytes
  const ids = repositories.map(({ id }) => id)
  let rows = 0
  for (const table of ['issue', 'issue_event', 'issue_comment'] as const)
    rows += await countRows(db.selectFrom(table).select('id').where('repository_id', 'in', ids))
  return (rows + 1) * usualRecordBytes
}

const spell = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

async function measure(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? await measure(path) : (await stat(path)).size
  }
  return bytes
}
