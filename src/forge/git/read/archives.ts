/** Whether a commit's files fit into an archive: a few hundred bytes of trees can stand for more than a disk holds. */
import { Failure } from '../../../lib/failure.ts'
import type { Repository } from '../../access/repository.ts'
import type { GitLimits } from '../process/git-limits.ts'
import type { GitReading } from './git-reading.ts'

const mib = 1024 * 1024

export type Archives = ReturnType<typeof makeArchives>

export function makeArchives({ reading, limits }: { reading: GitReading; limits: GitLimits }) {
  /** Counts files while git lists them, and ends git when there are too many. */
  const measure = (repository: Repository, sha: string) =>
    reading.recall(
      repository,
      ['archive', sha],
      async (ask) => {
        const words = ['ls-tree', '-r', '-z', '--format=%(objectsize)', sha]
        const { output, isCut } = await ask(words, { maxEntries: limits.archiveFiles })
        return { isCut, bytes: isCut ? 0 : sumSizes(output) }
      },
      () => 100,
    )

  return {
    async demandFit(repository: Repository, sha: string): Promise<void> {
      const { isCut, bytes } = await measure(repository, sha)
      if (isCut) throw refusal(`more than ${limits.archiveFiles} files`)
      if (bytes > limits.archiveMib * mib) throw refusal(`more than ${limits.archiveMib} MiB`)
    },
  }
}

const refusal = (what: string) =>
  new Failure('forbidden', 'archive-too-large', `This commit has ${what}, which is too much for an archive: clone it.`)

/** Sums sizes in digits, each ended by a NUL; a submodule has `-` and no size. */
function sumSizes(output: Buffer): number {
  let sum = 0
  let size = 0
  for (const byte of output) {
    if (byte === 0) {
      sum += size
      size = 0
    } else if (byte >= 48 && byte <= 57) size = size * 10 + byte - 48
  }
  return sum
}
