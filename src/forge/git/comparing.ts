/** Comparing: what a commit changed, and what one has that another has not; as figures, and as text that git can apply. */
import type { PageRequest } from '../../base/page.ts'
import type { Repository } from '../access/repository.ts'
import { notFound } from '../failures.ts'
import type { Commit } from './commit.ts'
import { type FileChange, parseChanges, splitPatches } from './diff.ts'
import type { Git } from './git.ts'
import type { Reading } from './reading.ts'

export type Comparison = {
  readonly base: Commit
  /** The last commit that both have. */
  readonly fork: Commit
  readonly ahead: number
  readonly behind: number
  readonly commits: readonly Commit[]
  readonly changes: readonly FileChange[]
}

/** One text of all that changed, or one mail a commit. */
export type PatchForm = 'diff' | 'patch'

/** Files whose patch lies beyond it are told without. */
const maxPatchBytes = 8 * 1024 * 1024

const diffWords = ['diff-tree', '-r', '-M', '--no-commit-id']
const againstFirstParent = (sha: string) => ['--root', '-m', '--first-parent', sha]

export type Comparing = ReturnType<typeof makeComparing>

export function makeComparing({ git, reading }: { git: Git; reading: Reading }) {
  const { remember } = reading

  async function diff(repository: Repository, between: readonly string[]): Promise<FileChange[]> {
    const listed = await remember(repository, [...diffWords, '--raw', '--numstat', '-z', '--abbrev=40', ...between])
    const words = [...diffWords, '-p', '--no-color', ...between]
    const { output, isCut } = await reading.rememberPart(repository, words, { maxBytes: maxPatchBytes, cutsOff: true })
    return splitPatches(parseChanges(listed), output, isCut)
  }

  /** A page from the oldest on: git counts from the newest, and turns around what it has chosen. */
  async function listOldest(
    repository: Repository,
    range: string,
    total: number,
    page: PageRequest,
  ): Promise<string[]> {
    const count = Math.min(page.limit, total - page.offset)
    if (count <= 0) return []
    const part = [`--max-count=${count}`, `--skip=${total - page.offset - count}`]
    const listed = await remember(repository, ['rev-list', '--reverse', ...part, range])
    return listed.toString().split('\n').filter(Boolean)
  }

  const listChanges = async (repository: Repository, from: string, to: string): Promise<FileChange[]> =>
    parseChanges(await remember(repository, [...diffWords, '--raw', '--numstat', '-z', '--abbrev=40', from, to]))

  async function countCommits(repository: Repository, base: string, head: string): Promise<number> {
    return Number((await remember(repository, ['rev-list', '--count', `${base}..${head}`])).toString())
  }

  async function findFork(repository: Repository, base: string, head: string): Promise<string> {
    const { code, output } = await git.run(repository, ['merge-base', base, head])
    if (code !== 0) throw notFound()
    return output.toString().trim()
  }

  return {
    /** Without their patches. */
    listChanges,
    countCommits,

    changesBetween: (repository: Repository, from: string, to: string): Promise<FileChange[]> =>
      diff(repository, [from, to]),

    /** A page of what the head has and the base has not, oldest first. */
    async commitsBetween(repository: Repository, base: string, head: string, page: PageRequest): Promise<Commit[]> {
      const total = await countCommits(repository, base, head)
      return reading.commits(repository, await listOldest(repository, `${base}..${head}`, total, page))
    },

    /** What a commit changed against its first parent. */
    changes: (repository: Repository, sha: string): Promise<FileChange[]> => diff(repository, againstFirstParent(sha)),

    changesAs: (repository: Repository, sha: string, form: PatchForm): Promise<Buffer> =>
      form === 'diff'
        ? remember(repository, [...diffWords, '-p', '--no-color', ...againstFirstParent(sha)])
        : remember(repository, ['format-patch', '--stdout', '-1', sha]),

    /** From the last commit that both have to the head: what the head has and the base has not. */
    async compare(repository: Repository, base: string, head: string, page: PageRequest): Promise<Comparison> {
      const fork = await findFork(repository, base, head)
      const counted = await remember(repository, ['rev-list', '--left-right', '--count', `${base}...${head}`])
      const [behind = 0, ahead = 0] = counted.toString().trim().split('\t').map(Number)
      const shas = await listOldest(repository, `${base}..${head}`, ahead, page)
      const shown = await reading.commits(repository, [base, fork, ...shas])
      return {
        base: shown[0]!,
        fork: shown[1]!,
        ahead,
        behind,
        commits: shown.slice(2),
        changes: await diff(repository, [fork, head]),
      }
    },

    async compareAs(repository: Repository, base: string, head: string, form: PatchForm): Promise<Buffer> {
      const fork = await findFork(repository, base, head)
      return form === 'diff'
        ? remember(repository, [...diffWords, '-p', '--no-color', fork, head])
        : remember(repository, ['format-patch', '--stdout', `${fork}..${head}`])
    },
  }
}
