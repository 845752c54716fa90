/**
 * Runs one import: unpacks and checks the archive, prepares its repositories and files beside the others, and then
 * writes everything in one transaction or nothing at all. Prepared data that is not used is discarded.
 */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Quotas } from '../../../accounts/quotas.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Blob } from '../../../store/files/blobs.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { chooseType } from '../../attachments/attachment-type.ts'
import { type FileLimits, mib } from '../../files/file-limits.ts'
import type { StoredFiles } from '../../files/stored-files.ts'
import { maintainKind, measureFolder } from '../../git/folders/maintenance.ts'
import type { Git } from '../../git/process/git.ts'
import { noteWikiSize, pointHead, wikiBranch } from '../../git/wikis.ts'
import { nameLfsObjectsWithin } from '../../lfs/lfs-rows.ts'
import { withEmailsLock } from '../../people/people.ts'
import { folderLock } from '../../repositories/repository-creation.ts'
import { importStagePrefix } from '../retention.ts'
import { type CheckedArchive, checkArchive } from './archive-checks.ts'
import type { GitImport } from './git-import.ts'
import { type ImportSummary, summarize } from './import-summary.ts'
import { type ImportOptions, type ImportPlan, planImport } from './planning.ts'
import { type LeavingOut, makeLeavingOut } from './platform/left-out.ts'
import { translateArchive } from './platform/translating.ts'
import { makeFileReader } from './reading/file-reader.ts'
import { type Unpacked, type UnpackedArchive, unpackArchive } from './reading/unpacking.ts'
import { demandImport, refuseImport } from './refusal.ts'
import { wordsKind } from './word-job.ts'
import type { ReadyFile, ReadyRepository } from './writing/write-context.ts'
import { writeAll } from './writing/writing.ts'

export type ImportResult = { readonly repositoryIds: readonly number[]; readonly summary: ImportSummary }

export type ImportRun = {
  readonly signal: AbortSignal
  progress(percent: number): void
  /** Runs within that transaction: the import's row says "imported" exactly if the import is there. */
  settle(trx: Db, result: ImportResult): Promise<void>
}

/** An archive in our own form, whatever it was in, with what that left out. */
type ReadArchive = {
  readonly archive: UnpackedArchive
  readonly leavingOut: LeavingOut
  readonly options: ImportOptions
}

export type ImportArchive = (archive: Readable, options: ImportOptions, run: ImportRun) => Promise<ImportResult>

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  git: Git
  gitImport: GitImport
  files: StoredFiles
  limits: FileLimits
  quotas: Quotas
  temporaryFolder: string
  /** The bytes that an owner's repositories take. */
  measureStorage: (ownerId: number) => Promise<number>
}

export function makeImporting(needs: Needs): ImportArchive {
  const { store, clock, jobs, git, gitImport, files, limits, quotas, temporaryFolder, measureStorage } = needs

  async function toOwnForm(unpacked: Unpacked, options: ImportOptions, { signal }: ImportRun): Promise<ReadArchive> {
    const leavingOut = makeLeavingOut()
    if (unpacked.form === 'own') return { archive: unpacked.archive, leavingOut, options }
    const mostBytes = { attachments: limits.attachmentMib * mib, releases: limits.assetMib * mib }
    const { archive, leftOut, renamed } = await translateArchive(unpacked.archive, { mostBytes, signal })
    for (const [what, count] of leftOut) leavingOut.add(what, count)
    const given = Object.entries(options.logins)
    const logins = Object.fromEntries(given.map(([from, to]) => [renamed.get(from.toLowerCase()) ?? from, to]))
    return { archive, leavingOut, options: { ...options, logins } }
  }

  async function readyRepositories(
    { archive, repositories, pullNumbers }: CheckedArchive,
    stage: string,
    drafts: string[],
    leaveOut: ((ref: string) => void) | undefined,
    run: ImportRun,
  ): Promise<Map<string, ReadyRepository>> {
    const ready = new Map<string, ReadyRepository>()
    for (const [at, { url, owner, name, defaultBranch }] of repositories.entries()) {
      run.signal.throwIfAborted()
      const path = gitFolderOf({ owner, name })
      const draft = await git.draft(defaultBranch)
      drafts.push(draft)
      const from = join(archive.folder, 'repositories', path)
      const pulls = pullNumbers.get(url) ?? new Set()
      const inner = archive.repositories.get(path)!
      const clean = join(stage, `clean-${at}`)
      const refs = await gitImport.fill({ from, inner, pulls, clean, draft, name: url, leaveOut })
      await git.syncDraft(draft)
      const wikiDraft = await readyWiki(archive, path, stage, drafts)
      const wikiSizeKib = wikiDraft === null ? 0 : await measureFolder(wikiDraft)
      ready.set(url, { draft, wikiDraft, wikiSizeKib, refs, sizeKib: await measureFolder(draft) })
      run.progress(40 + (40 * (at + 1)) / repositories.length)
    }
    return ready
  }

  async function readyWiki(
    archive: UnpackedArchive,
    path: string,
    stage: string,
    drafts: string[],
  ): Promise<string | null> {
    const wikiPath = path.replace(/\.git$/, '.wiki.git')
    const inner = archive.repositories.get(wikiPath)
    if (!inner) return null
    const draft = await git.draft(wikiBranch)
    drafts.push(draft)
    const from = join(archive.folder, 'repositories', wikiPath)
    const clean = join(stage, `clean-${drafts.length}-wiki`)
    const refs = await gitImport.fill({
      from,
      inner,
      pulls: new Set(),
      clean,
      draft,
      name: wikiPath,
      leaveOut: undefined,
    })
    await pointHead(draft, [...refs.keys()])
    await git.syncDraft(draft)
    return draft
  }

  async function readyFiles({ archive }: CheckedArchive, { signal }: ImportRun): Promise<Map<string, ReadyFile>> {
    const ready = new Map<string, ReadyFile>()
    for (const [path, { bytes }] of archive.uploads) {
      signal.throwIfAborted()
      const file = join(archive.folder, path)
      const isAttachment = path.startsWith('attachments/')
      const mostMib = isAttachment ? limits.attachmentMib : limits.assetMib
      demandImport(
        bytes <= mostMib * mib,
        `${path} is over ${mostMib} MiB, which is more than such a file may have here.`,
      )
      const contentType = isAttachment ? await readContentType(path, file) : 'application/octet-stream'
      ready.set(path, { ...(await files.receive(createReadStream(file), contentType, bytes)), contentType })
    }
    return ready
  }

  async function readyLargeFiles({ archive, repositories }: CheckedArchive, { signal }: ImportRun): Promise<Blob[]> {
    const paths = new Set(repositories.map(gitFolderOf))
    const ready: Blob[] = []
    for (const [repository, found] of archive.largeFiles) {
      demandImport(paths.has(repository), `repositories/${repository} has large files, and no record.`)
      for (const { oid, bytes: size, path } of found) {
        signal.throwIfAborted()
        const isSmall = size <= limits.lfsMib * mib
        demandImport(isSmall, `${path} is over ${limits.lfsMib} MiB, which is more than such a file may have here.`)
        const stream = createReadStream(join(archive.folder, path))
        ready.push(await files.receive(stream, 'application/octet-stream', size, { hash: oid, size }))
      }
    }
    return ready
  }

  async function demandStorage(
    plan: ImportPlan,
    { archive }: CheckedArchive,
    ready: ReadonlyMap<string, ReadyRepository>,
  ): Promise<void> {
    if (!Number.isFinite(quotas.repositoryMib)) return
    for (const [ownerId = 0, planned] of Map.groupBy(plan.repositories, ({ ownerId: id }) => id)) {
      const more = planned.reduce((sum, { record }) => {
        const large = archive.largeFiles.get(gitFolderOf(record)) ?? []
        const { sizeKib, wikiSizeKib } = ready.get(record.url)!
        return sum + (sizeKib + wikiSizeKib) * 1024 + large.reduce((bytes, one) => bytes + one.bytes, 0)
      }, 0)
      const isWithin = (await measureStorage(ownerId)) + more <= quotas.repositoryMib * mib
      demandImport(
        isWithin,
        `${planned[0]!.ownerLogin} would have more than ${quotas.repositoryMib} MiB of repositories.`,
      )
    }
  }

  return async (source, given, run) => {
    const stage = join(temporaryFolder, `${importStagePrefix}${randomUUID()}`)
    const drafts: string[] = []
    const reader = makeFileReader()
    await mkdir(stage, { mode: 0o700 })
    try {
      const folder = join(stage, 'archive')
      await mkdir(folder)
      const bounds = { maxBytes: limits.importUnpackedMib * mib, signal: run.signal }
      const unpacked = await unpackArchive(source, folder, reader, bounds)
      const { archive, leavingOut, options } = await toOwnForm(unpacked, given, run)
      run.progress(20)
      const checked = await checkArchive(archive, run.signal)
      // Refuse before the long part if possible; the plan is made again within the transaction.
      const foreseen = await planImport({ db: store.db, checked, options, quotas })
      run.progress(40)
      if (options.isPreview) return { repositoryIds: [], summary: summarize(checked, foreseen, leavingOut.list()) }
      const leaveOut = unpacked.form === 'own' ? undefined : () => leavingOut.add('refs of names that are not taken')
      const ready = await readyRepositories(checked, stage, drafts, leaveOut, run)
      await demandStorage(foreseen, checked, ready)
      const blobs = await readyFiles(checked, run)
      const largeFiles = await readyLargeFiles(checked, run)
      run.progress(90)
      return await files.writeAll(
        [...blobs.values(), ...largeFiles],
        async (trx) => {
          const plan = await planImport({ db: trx, checked, options, quotas })
          const now = clock.now()
          const { engine } = store
          const { origin } = options
          const made = await writeAll({ trx, engine, now, checked, plan, ready, files: blobs, origin })
          for (const [url, { id }] of made) {
            await jobs.enqueue(trx, maintainKind, { repositoryId: id }, { key: String(id) })
            await jobs.enqueue(trx, wordsKind, { repositoryId: id }, { key: String(id) })
            const { draft, wikiDraft, wikiSizeKib } = ready.get(url)!
            await git.adopt(draft, { id })
            if (wikiDraft !== null) {
              await noteWikiSize(trx, id, wikiSizeKib)
              await git.adopt(wikiDraft, { id, isWiki: true })
            }
          }
          for (const record of checked.repositories) {
            const objects = archive.largeFiles.get(gitFolderOf(record)) ?? []
            const named = objects.map(({ oid, bytes: size }) => ({ oid, size }))
            await nameLfsObjectsWithin(trx, made.get(record.url)!.id, named, now)
          }
          const repositoryIds = [...made.values()].map(({ id }) => id)
          const result = { repositoryIds, summary: summarize(checked, plan, leavingOut.list()) }
          await run.settle(trx, result)
          return result
        },
        { locks: withEmailsLock.locks, sharedLocks: [folderLock] },
      )
    } finally {
      source.destroy()
      await reader.close()
      for (const draft of drafts) await git.discard(draft)
      await rm(stage, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

/** The folder of its git data in the archive. */
const gitFolderOf = ({ owner, name }: { readonly owner: string; readonly name: string }): string =>
  `${owner.slice(owner.lastIndexOf('/') + 1)}/${name}.git`

const startBytes = 16

/** The content type is derived from the content, as for any attachment, never taken from the archive. */
async function readContentType(path: string, file: string): Promise<string> {
  const opened = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    return chooseType(path.slice(path.lastIndexOf('/') + 1), buffer.subarray(0, bytesRead))
  } catch (error) {
    const { code } = error as { code?: string }
    throw code === 'validation-failed' ? refuseImport(`${path} is not a file that can be attached here.`) : error
  } finally {
    await opened.close()
  }
}
