/** Import: a problem package becomes a problem with its tests, judging settings and files, all or nothing. */
import { Readable } from 'node:stream'
import type { Actor } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import { Failure } from '../../lib/failure.ts'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { requireAct } from '../access.ts'
import type { Zip } from '../archive/archive.ts'
import type { Limits } from '../limits.ts'
import type { FileStore } from '../problem-files/file-store.ts'
import type { FileDraft, ProblemFiles } from '../problem-files/problem-files.ts'
import type { ProblemJudgings } from '../problem-judging/problem-judgings.ts'
import type { Problems } from '../problems/problems.ts'
import { demandStorage } from '../test-cases/test-quota.ts'
import type { TestDraft, TestUploads } from '../test-cases/test-uploads.ts'
import { invalidPackage, openPackage, openZip, type PackageFiles, readText } from './package-files.ts'
import { makePackageReader } from './package-reader.ts'
import { storePackage } from './package-rows.ts'
import type { ImportOverrides, PackagedFile, PackagedProblem, PackagedTest } from './packaged-problem.ts'
import { readPackage } from './read-package.ts'

type Needs = {
  store: Store
  switches: Switches
  problems: Problems
  uploads: TestUploads
  judgings: ProblemJudgings
  problemFiles: ProblemFiles
  files: FileStore
  limits: Limits
}

export type Imported = {
  readonly uuid: string
  readonly displayName: string
  readonly testCount: number
  readonly fileCount: number
  readonly notes: readonly string[]
}

/** Each import takes the processor, and memory for one test or file. */
const turns = {
  slots: 4,
  slotsPerCaller: 2,
  reserve: 1,
  queuePerCaller: 4,
  queue: 100,
  maxWaitMs: 60_000,
  what: 'packages to be read',
}

export type PackageImport = ReturnType<typeof makePackageImport>

export function makePackageImport(needs: Needs) {
  const { store, switches, problems, uploads, judgings, problemFiles, files: fileStore, limits } = needs

  const { run: takeTurn } = makeFairScheduler(turns)
  const reader = makePackageReader(limits)

  async function* readTests(
    files: PackageFiles,
    { tests, notes }: { readonly tests: readonly PackagedTest[]; readonly notes: string[] },
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TestDraft> {
    let isTold = false
    for (const { input, output, isHidden, judging } of tests) {
      signal?.throwIfAborted()
      const text = await readText(files, input)
      if (!isTold && text.includes('\r\n')) {
        isTold = true
        notes.push(
          `${input} has Windows line ends (CR LF), and maybe others have: programs that read lines see the CR.`,
        )
      }
      yield { input: text, output: await readText(files, output), isHidden, judging }
    }
  }

  async function keepFiles(
    ownerId: number,
    files: PackageFiles,
    kept: readonly PackagedFile[],
    signal: AbortSignal | undefined,
  ): Promise<FileDraft[]> {
    const drafts: FileDraft[] = []
    let bytes = 0
    for (const { path, source } of kept) {
      signal?.throwIfAborted()
      const blob = await problemFiles.receive(Readable.from(files.stream(source, limits.problemFileBytes)))
      bytes += blob.size
      await demandStorage(store.db, ownerId, limits, bytes)
      drafts.push({ path, blob })
    }
    return drafts
  }

  async function insert(
    trx: Db,
    actor: { account: { id: number } },
    found: PackagedProblem,
    drafts: readonly FileDraft[],
  ) {
    const problem = await problems.insert(trx, actor.account, found.draft)
    const owned = { id: problem.id, authorId: actor.account.id }
    await judgings.save(trx, owned, found.judging)
    await problemFiles.add(trx, owned, drafts)
    return problem
  }

  async function importFiles(
    actor: Actor,
    files: PackageFiles,
    found: PackagedProblem,
    signal?: AbortSignal,
  ): Promise<Imported> {
    requireAct(actor, 'createProblem')
    demandOnce(found.kept)
    const drafts = await keepFiles(actor.account.id, files, found.kept, signal)
    const { draft, tests } = found
    const notes = [...found.notes]
    const upload = await uploads.stage(actor.account.id, readTests(files, { tests, notes }, signal))
    try {
      const { uuid } = await fileStore.writeAll(
        drafts.map(({ blob }) => blob),
        async (trx) => {
          const problem = await insert(trx, actor, found, drafts)
          await uploads.attach(trx, upload, problem.id)
          await storePackage(trx, problem.id, found)
          return problem
        },
      )
      return { uuid, displayName: draft.displayName, testCount: tests.length, fileCount: drafts.length, notes }
    } catch (error) {
      await uploads.discard(upload.id)
      throw error
    }
  }

  /** Refuses callers who may not import before they send the package. */
  async function demandImport(actor: Actor): Promise<void> {
    requireAct(actor, 'createProblem')
    await switches.demandProblemCreation()
  }

  return {
    /**
     * `path` is a folder or a zip. Only the operator's command line imports this way, so the switches do not apply, and
     * nobody waits during the import.
     */
    async importPackage(actor: Actor, path: string, overrides: ImportOverrides = {}): Promise<Imported> {
      const files = await openPackage(path, limits)
      try {
        return await importFiles(actor, files, await readPackage(files, limits, overrides))
      } finally {
        await files.close()
      }
    },

    demandImport,

    /** `signal` is aborted when the client disconnects: waiting and reading end, and no problem is created. */
    async importZip(actor: Actor, zip: Zip, signal: AbortSignal, overrides: ImportOverrides = {}): Promise<Imported> {
      await demandImport(actor)
      const caller = `account:${actor.account!.id}`
      const act = async () => {
        const found = await reader.read(caller, zip, overrides, signal)
        return importFiles(actor, await openZip(zip, limits), found, signal)
      }
      return takeTurn(caller, act, { signal }).catch((error) => {
        throw signal.aborted && error === signal.reason ? clientGone() : error
      })
    },

    close: () => reader.close(),
  }
}

const clientGone = () => new Failure('invalid', 'client-gone', 'The client left before the package was imported.')

function demandOnce(kept: readonly PackagedFile[]): void {
  const seen = new Map<string, string>()
  for (const { path, source } of kept) {
    const other = seen.get(path)
    if (other !== undefined) throw invalidPackage(`${other} and ${source} would both be kept as ${path}.`)
    seen.set(path, source)
  }
}
