/** Runs the system's git on one repository at a time. */
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
  /** Exit codes besides 0 that count as answers. */
  readonly accepts?: readonly number[]
}
export type Ask = (words: readonly string[], options?: Options) => Promise<GitResult>

/** Throws to refuse, or counts the size and returns the function that undoes the count. Undefined: keep nothing. */
export type Admit<T = unknown> = (sizeKib: number, result: T) => Promise<(() => Promise<void>) | undefined>

/** Reading commands are short; more at a time only makes each slower. */
const readersPerCore = 4
/** The most blocks of loose refs before they are packed: a clone opens each file. */
const mostLooseBlocks = 100

export function makeGit({ limits, ...needs }: FoldersNeeds & { limits: GitLimits }) {
  const { isKnown } = needs
  const folders = makeFolders(needs)
  const { run: takeTurn } = makeFairScheduler(slotsFor(limits, readersPerCore))
  const bounds = readBounds(limits)
  const limitMs = limits.readSeconds * 1000
  const packing = { bounds: transferBounds(limits), limitMs: limits.transferSeconds * 1000 }

  /** If the repository was deleted meanwhile, the failure becomes "not found". */
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

  /** Throws unless git succeeds. */
  async function ask(folder: string, words: readonly string[], options: Options = {}): Promise<GitResult> {
    const result = await runGit(words, { bounds, limitMs, ...options, folder })
    if (result.code !== 0 && !options.accepts?.includes(result.code))
      throw gitError(words, result.code, result.complaint)
    return result
  }

  /**
   * Runs the act in a draft that borrows the repository's objects, then moves what the act wrote into the repository.
   * `admit` first counts its size in KiB. If `admit` refuses or the act fails, nothing is kept. Objects that another
   * call has written meanwhile are not counted twice.
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

    /** Like `run`, but nothing it writes is kept. */
    rehearse: (repository: Repository, words: readonly string[], options: Options = {}): Promise<GitResult> =>
      within(repository, async () => {
        const folder = await folders.draftBeside(repository)
        try {
          return await runGit(words, { bounds, limitMs, ...options, folder })
        } finally {
          await folders.discard(folder)
        }
      }),

    /** Several git commands in one turn. */
    inTurn: <T>(repository: Repository, act: (ask: Ask) => Promise<T>): Promise<T> =>
      within(repository, (folder) => act((words, options) => ask(folder, words, options))),

    /** The same, but new objects stay in a draft until `admit` takes them. */
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

    /** The same, but nothing is kept. */
    rehearseInTurn: <T>(repository: Repository, act: (ask: Ask) => Promise<T>): Promise<T> =>
      inDraft([repository], act),

    /** Several git commands in one turn on the objects of two repositories; neither gets any from the other. */
    async inTurnOfBoth<T>(one: Repository, other: Repository, act: (ask: Ask) => Promise<T>): Promise<T> {
      await folders.find(other)
      return inDraft([one, other], act)
    },

    async read(repository: Repository, words: readonly string[], options: Options = {}): Promise<Buffer> {
      return (await within(repository, (folder) => ask(folder, words, options))).output
    },

    /** Packs objects if git advises it, and refs, which it ignores, by our count. Too large a repository stays. */
    async pack(repository: Repository): Promise<void> {
      await run(repository, ['gc', '--auto', '--quiet'], packing).catch(unlessTooMuch)
      const { looseBlocks } = await measureRefs(folders.folderOf(repository))
      if (looseBlocks > mostLooseBlocks)
        await run(repository, ['pack-refs', '--all', '--prune'], packing).catch(unlessTooMuch)
      await removeEmptyFolders(folders.folderOf(repository))
    },

    /** Removes loose objects unreachable for two weeks: far less work than repacking everything. */
    async prune(repository: Repository): Promise<void> {
      await run(repository, ['prune', '--expire=2.weeks.ago'], packing).catch(unlessTooMuch)
    },

    /** Repacks everything, without objects unreachable for two weeks. */
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
