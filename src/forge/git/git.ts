/** The system's git, asked about one repository at a time. */
import { availableParallelism } from 'node:os'
import { makeSemaphore } from '../../base/semaphore.ts'
import type { Repository } from '../access/repository.ts'
import { notFound } from '../faults.ts'
import { type FoldersNeeds, makeFolders } from './folders.ts'
import { demandGit, type GitResult, type RunOptions, runGit } from './process.ts'

export type Git = ReturnType<typeof makeGit>

type Options = Omit<RunOptions, 'folder'>

/** Reading commands are short; more at a time than cores only makes each slower. */
const readersPerCore = 4

export function makeGit(needs: FoldersNeeds) {
  const { isKnown } = needs
  const folders = makeFolders(needs)
  const semaphore = makeSemaphore(availableParallelism() * readersPerCore)

  /** What fails because the repository was deleted meanwhile is not found. */
  async function within<T>(repository: Repository, act: (folder: string) => Promise<T>): Promise<T> {
    try {
      const folder = await folders.prepare(repository)
      return await semaphore(() => act(folder))
    } catch (error) {
      throw (await isKnown(repository.id)) ? error : notFound()
    }
  }

  const run = (repository: Repository, words: readonly string[], options: Options = {}): Promise<GitResult> =>
    within(repository, (folder) => runGit(words, { ...options, folder }))

  return {
    ...folders,
    run,

    /** Runs and takes nothing but success. */
    read: (repository: Repository, words: readonly string[], options: Options = {}): Promise<Buffer> =>
      within(repository, (folder) => demandGit(words, { ...options, folder })),

    async hasBranch(repository: Repository, name: string): Promise<boolean> {
      const { code } = await run(repository, ['show-ref', '--verify', '--quiet', `refs/heads/${name}`])
      return code === 0
    },
  }
}
