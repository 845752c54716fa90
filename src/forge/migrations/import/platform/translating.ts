/** Has an archive of the public platform translated by a thread of its own. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { programFile } from '../../../../lib/process/program-file.ts'
import type { FileFacts, PlatformArchive, UnpackedArchive } from '../reading/unpacking.ts'
import { refuseImport } from '../refusal.ts'
import type { LeftOut } from './left-out.ts'
import type { GitMove } from './repository-records.ts'
import type { Translation, TranslationRequest } from './translation.ts'
import type { TranslationAnswer } from './translation-worker.ts'

export type TranslatedArchive = {
  readonly archive: UnpackedArchive
  readonly leftOut: LeftOut
  /** By the login in the archive, in lower case: the one that its account gets. */
  readonly renamed: ReadonlyMap<string, string>
}

type Bounds = { readonly mostBytes: TranslationRequest['mostBytes']; readonly signal: AbortSignal }

/** The memory for the addresses of some million records. */
const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32 }

export async function translateArchive(given: PlatformArchive, bounds: Bounds): Promise<TranslatedArchive> {
  const { reader, folder, uploads, repositories, recordFiles, largeFiles, unknownFiles } = given
  const sizes = new Map([...uploads].map(([path, { bytes }]) => [path, bytes]))
  const gitFolders = new Set(repositories.keys())
  const request = { folder, recordFiles, uploads: sizes, gitFolders, mostBytes: bounds.mostBytes }
  const { recordFiles: counts, git, leftOut, renamed, ...translated } = await run(request, bounds.signal)
  const facts = new Map<string, FileFacts>()
  for (const [here, path] of translated.uploads) facts.set(here, uploads.get(path)!)
  const placed = placeGit(repositories, git)
  const large = placeLarge(largeFiles, git)
  const more: [string, number][] = [
    ['files of no known kind', unknownFiles],
    ['git data that no record names', gitFolders.size - placed.taken],
    ['large files of repositories', large.left],
  ]
  return {
    archive: {
      reader,
      folder,
      recordFiles: counts,
      uploads: facts,
      repositories: placed.repositories,
      largeFiles: large.files,
    },
    leftOut: [...leftOut, ...more.filter(([, count]) => count > 0)],
    renamed: new Map(renamed.map(([from, to]) => [from.toLowerCase(), to])),
  }
}

/** A repository without git data becomes an empty one. */
function placeGit(found: PlatformArchive['repositories'], git: readonly GitMove[]) {
  const repositories = new Map<string, readonly string[]>()
  let taken = 0
  for (const { from, to, hasWiki } of git) {
    const inner = found.get(`${from}.git`)
    if (inner) taken++
    repositories.set(`${to}.git`, inner ?? [])
    if (!hasWiki) continue
    taken++
    repositories.set(`${to}.wiki.git`, found.get(`${from}.wiki.git`)!)
  }
  return { repositories, taken }
}

/** Files of Git LFS lie in the folder of their repository, which keeps its name here, or they are left out. */
function placeLarge(found: PlatformArchive['largeFiles'], git: readonly GitMove[]) {
  const kept = new Set(git.filter(({ from, to }) => from === to).map(({ to }) => `${to}.git`))
  const files = new Map([...found].filter(([repository]) => kept.has(repository)))
  const left = [...found].reduce((sum, [name, listed]) => sum + (kept.has(name) ? 0 : listed.length), 0)
  return { files, left }
}

async function run(workerData: TranslationRequest, signal: AbortSignal): Promise<Translation> {
  const worker = new Worker(programFile(import.meta.dirname, 'translation-worker.ts'), { workerData, resourceLimits })
  try {
    const [{ translation, refusal, fault }] = (await once(worker, 'message', { signal })) as [TranslationAnswer]
    if (refusal !== undefined) throw refuseImport(refusal)
    if (fault) throw Object.assign(new Error(fault.message), fault.code && { code: fault.code })
    return translation!
  } catch (error) {
    const isFull = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isFull ? refuseImport('The records of the archive take more memory than any archive does.') : error
  } finally {
    await worker.terminate()
  }
}
