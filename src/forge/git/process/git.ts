/** The system's git, asked about one repository at a time. */
import { join } from 'node:path'
import { Failure } from '../../../lib/failure.ts'
import { makeFairScheduler } from '../../../lib/scheduling/fair-scheduler.ts'
import type { Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import { type FoldersNeeds, makeFolders } from '../folders/folders.ts'
import { removeEmptyFolders } from '../folders/ref-folders.ts'
import { measureRefs } from '../folders/repository-size.ts'
import { measureObjects, moveObjects } from '../write/object-moving.ts'
import { type GitLimits, readBounds, slotsFor, transferBounds } from './git-limits.ts'
import { type GitResult, gitError, type RunOptions, runGit } from './process.ts'
import { currentCaller } from './processor-accounting.ts'

export type Git = ReturnType<typeof makeGit>

export type Options = Omit<RunOptions, 'folder'> & {
  /** Exit codes that are answers as well. */
  readonly accepts?: readonly number[]
}
export type Ask = (words: readonly string[], options?: Options) => Promise<GitResult>

/** Refuses by a failure, or counts, and answers what undoes the count; undefined where nothing is to stay. */
export type Admit<T = unknown> = (sizeKib: number, result: T) => Promise<(() => Promise<void>) | undefined>

/** Reading commands are short; more at a time than cores only makes each slower. */
const readersPerCore = 4
/** Of refs that lie by themselves, each of which a clone opens. */
const mostLooseBlocks = 100

export function makeGit({ limits, ...needs }: FoldersNeeds & { limits: GitLimits }) {
  const { isKnown } = needs
  const folders = makeFolders(needs)
  const { run: takeTurn } = makeFairScheduler(slotsFor(limits, readersPerCore))
  const bounds = readBounds(limits)
  const limitMs = limits.readSeconds * 1000
  const packing = { bounds: transferBounds(limits), limitMs: limits.transferSeconds * 1000 }

  /** What fails because the repository was deleted meanwhile is not found. */
  async function within<T>(repository: Repository, act: (folder: string) => Promise<T>): Promise<T> {
    try {
      const folder = await folders.find(repository)
      return await takeTurn(currentCaller(), () => act(folder))
    } catch (error) {
      throw (await isKnown(repository.id)) ? error : notFound()
    }
  }

  const run = (repository: Repository, words: readonly string[], options: Options = {}): Promise<GitResult> =>
    within(repository, (folder) => runGit(words, { bounds, limitMs, ...options, folder }))

  /** Takes nothing but success. */
  async function ask(folder: string, words: readonly string[], options: Options = {}): Promise<GitResult> {
    const result = await runGit(words, { bounds, limitMs, ...options, folder })
    if (result.code !== 0 && !options.accepts?.includes(result.code))
      throw gitError(words, result.code, result.complaint)
    return result
  }

  /**
   * What the act writes lies apart from the repository, whose objects it finds in its own place. It stays there once `admit`
   * has counted how many KiB it takes; of what that refuses, or of an act that fails, nothing stays. What is there already,
   * since another was faster, is not counted twice.
   */
  async function apart<T>(
    repository: Repository,
    act: (folder: string) => Promise<T>,
    admit: Admit<T>,
    writtenAt?: Date,
  ): Promise<T> {
    const place = await folders.find(repository)
    const folder = await folders.draftBeside(repository)
    try {
      const result = await act(folder)
      const sizeKib = await measureObjects(join(folder, 'objects'))
      if (sizeKib === 0) return result
      const undo = await admit(sizeKib, result)
      if (!undo) return result
      let isMoved = false
      try {
        isMoved = await moveObjects(join(folder, 'objects'), join(place, 'objects'), writtenAt)
      } finally {
        if (!isMoved) await undo()
      }
      return result
    } finally {
      await folders.discard(folder)
    }
  }

  const inDraft = <T>(
    repositories: readonly [Repository, ...Repository[]],
    act: (ask: Ask) => Promise<T>,
  ): Promise<T> =>
    within(repositories[0], async () => {
      const folder = await folders.draftBeside(...repositories)
      try {
        return await act((words, options) => ask(folder, words, options))
      } finally {
        await folders.discard(folder)
      }
    })

  return {
    ...folders,
    run,
    apart,

    /** The same as `run`, but nothing comes of it. */
    rehearse: (repository: Repository, words: readonly string[], options: Options = {}): Promise<GitResult> =>
      within(repository, async () => {
        const folder = await folders.draftBeside(repository)
        try {
          return await runGit(words, { bounds, limitMs, ...options, folder })
        } finally {
          await folders.discard(folder)
        }
      }),

    /** Several questions in one turn. */
    inTurn: <T>(repository: Repository, act: (ask: Ask) => Promise<T>): Promise<T> =>
      within(repository, (folder) => act((words, options) => ask(folder, words, options))),

    /** The same, where what they write lies apart until it is admitted. */
    inTurnApart: <T>(
      repository: Repository,
      act: (ask: Ask) => Promise<T>,
      admit: Admit<T>,
      writtenAt: Date,
    ): Promise<T> =>
      apart(
        repository,
        (folder) => within(repository, () => act((words, options) => ask(folder, words, options))),
        admit,
        writtenAt,
      ),

    /** The same, of which nothing stays. */
    rehearseInTurn: <T>(repository: Repository, act: (ask: Ask) => Promise<T>): Promise<T> =>
      inDraft([repository], act),

    /** Several questions in one turn about what two repositories have together; neither gets anything of the other. */
    async inTurnOfBoth<T>(one: Repository, other: Repository, act: (ask: Ask) => Promise<T>): Promise<T> {
      await folders.find(other)
      return inDraft([one, other], act)
    },

    async read(repository: Repository, words: readonly string[], options: Options = {}): Promise<Buffer> {
      return (await within(repository, (folder) => ask(folder, words, options))).output
    },

    /** Packs it where git finds it worth while, which does not look at refs. One that is too much for the bounds stays as it is. */
    async pack(repository: Repository): Promise<void> {
      await run(repository, ['gc', '--auto', '--quiet'], packing).catch(unlessTooMuch)
      const { looseBlocks } = await measureRefs(folders.folderOf(repository))
      if (looseBlocks > mostLooseBlocks)
        await run(repository, ['pack-refs', '--all', '--prune'], packing).catch(unlessTooMuch)
      await removeEmptyFolders(folders.folderOf(repository))
    },

    /** Removes what lies by itself and nothing has led to for two weeks: far less work than to pack all of it. */
    async prune(repository: Repository): Promise<void> {
      await run(repository, ['prune', '--expire=2.weeks.ago'], packing).catch(unlessTooMuch)
    },

    /** Packs all of it anew, without what nothing has led to for two weeks. */
    async reclaim(repository: Repository): Promise<void> {
      await run(repository, ['gc', '--quiet'], packing).catch(unlessTooMuch)
    },

    async hasBranch(repository: Repository, name: string): Promise<boolean> {
      const { code } = await run(repository, ['show-ref', '--verify', '--quiet', `refs/heads/${name}`])
      return code === 0
    },
  }
}

function unlessTooMuch(error: unknown): void {
  if (!(error instanceof Failure && (error.code === 'too-slow' || error.code === 'too-large'))) throw error
}
