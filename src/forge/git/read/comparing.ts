/** Compares commits: the changes of one commit, or the difference between two, as counts and as a patch. */
import type { PageRequest } from '../../../lib/page.ts'
import type { Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { Ask, Git, Options } from '../process/git.ts'
import type { GitResult } from '../process/process.ts'
import type { Commit } from './commit.ts'
import { type FileChange, parseChanges, splitPatches } from './diff.ts'
import type { GitReading } from './git-reading.ts'
import { makeCommitCutter } from './object-cutting.ts'
import { parseCommits } from './object-output.ts'

export type Comparison = {
  readonly base: Commit
  /** Their merge base. */
  readonly fork: Commit
  readonly ahead: number
  readonly behind: number
  readonly commits: readonly Commit[]
  readonly changes: readonly FileChange[]
}

/** One diff of everything, or one mail a commit. */
export type PatchForm = 'diff' | 'patch'

/** Files whose patch lies beyond this are listed without it. */
const maxPatchBytes = 8 * 1024 * 1024

const diffWords = ['diff-tree', '-r', '-M', '--no-commit-id']
const againstFirstParent = (sha: string) => ['--root', '-m', '--first-parent', sha]

export type Comparing = ReturnType<typeof makeComparing>

/** Runs git for a comparison: in one repository, with cached answers, or in two together. */
type Source = {
  remember(words: readonly string[]): Promise<Buffer>
  rememberPart(words: readonly string[], options: Options): Promise<GitResult>
  /** Finds the merge base; the exit code is not 0 if there is none. */
  mergeBase(base: string, head: string): Promise<GitResult>
  commits(shas: readonly string[]): Promise<Commit[]>
}

export type ComparedEnd = { readonly repository: Repository; readonly sha: string }

export function makeComparing({ git, reading }: { git: Git; reading: GitReading }) {
  const { remember } = reading

  const sourceOf = (repository: Repository): Source => ({
    remember: (words) => remember(repository, words),
    rememberPart: (words, options) => reading.rememberPart(repository, words, options),
    mergeBase: (base, head) => reading.rememberPart(repository, ['merge-base', base, head], hasNone),
    commits: (shas) => reading.commits(repository, shas),
  })

  const diff = async (repository: Repository, between: readonly string[]) => diffIn(sourceOf(repository), between)

  const listChanges = async (repository: Repository, from: string, to: string): Promise<FileChange[]> =>
    parseChanges(await remember(repository, [...diffWords, '--raw', '--numstat', '-z', '--abbrev=40', from, to]))

  async function countCommits(repository: Repository, base: string, head: string): Promise<number> {
    return Number((await remember(repository, ['rev-list', '--count', `${base}..${head}`])).toString())
  }

  /** Compares forks by reading both at once: nothing is copied, so a private fork's commits never appear elsewhere. */
  const inBoth = <T>(base: ComparedEnd, head: ComparedEnd, act: (source: Source) => Promise<T>): Promise<T> =>
    base.repository.id === head.repository.id
      ? act(sourceOf(base.repository))
      : git.inTurnOfBoth(base.repository, head.repository, (ask) => act(sourceOfAsk(ask)))

  return {
    /** Lists changes without their patches. */
    listChanges,
    countCommits,

    changesBetween: (repository: Repository, from: string, to: string): Promise<FileChange[]> =>
      diff(repository, [from, to]),

    /** A page of the commits that the head has and the base has not, oldest first. */
    async commitsBetween(repository: Repository, base: string, head: string, page: PageRequest): Promise<Commit[]> {
      const total = await countCommits(repository, base, head)
      return reading.commits(repository, await listOldest(sourceOf(repository), `${base}..${head}`, total, page))
    },

    /** The changes of a commit against its first parent. */
    changes: (repository: Repository, sha: string): Promise<FileChange[]> => diff(repository, againstFirstParent(sha)),

    changesAs: (repository: Repository, sha: string, form: PatchForm): Promise<Buffer> =>
      form === 'diff'
        ? remember(repository, [...diffWords, '-p', '--no-color', ...againstFirstParent(sha)])
        : remember(repository, ['format-patch', '--stdout', '-1', sha]),

    /** Compares the merge base with the head: the changes that the head has and the base has not. */
    compare: (base: ComparedEnd, head: ComparedEnd, page: PageRequest): Promise<Comparison> =>
      inBoth(base, head, (source) => compare(source, base.sha, head.sha, page)),

    /** Counts the commits that the head has and the base has not; undefined without common history. */
    countAhead: (base: ComparedEnd, head: ComparedEnd): Promise<number | undefined> =>
      inBoth(base, head, async (source) => {
        if ((await source.mergeBase(base.sha, head.sha)).code !== 0) return undefined
        return Number((await source.remember(['rev-list', '--count', `${base.sha}..${head.sha}`])).toString())
      }),

    compareAs: (base: ComparedEnd, head: ComparedEnd, form: PatchForm): Promise<Buffer> =>
      inBoth(base, head, async (source) => {
        const fork = await findFork(source, base.sha, head.sha)
        return form === 'diff'
          ? source.remember([...diffWords, '-p', '--no-color', fork, head.sha])
          : source.remember(['format-patch', '--stdout', `${fork}..${head.sha}`])
      }),
  }
}

/** Git's exit codes for "no common history" and "not a commit". */
const hasNone: Options = { accepts: [1, 128] }

const sourceOfAsk = (ask: Ask): Source => ({
  remember: async (words) => (await ask(words)).output,
  rememberPart: ask,
  mergeBase: (base, head) => ask(['merge-base', base, head], hasNone),
  async commits(shas) {
    if (shas.length === 0) return []
    const { output } = await ask(['cat-file', '--batch'], {
      input: `${shas.join('\n')}\n`,
      makeFilter: makeCommitCutter,
    })
    return parseCommits(output, shas.length)
  },
})

async function diffIn(source: Source, between: readonly string[]): Promise<FileChange[]> {
  const listed = await source.remember([...diffWords, '--raw', '--numstat', '-z', '--abbrev=40', ...between])
  const words = [...diffWords, '-p', '--no-color', ...between]
  const { output, isCut } = await source.rememberPart(words, { maxBytes: maxPatchBytes, cutsOff: true })
  return splitPatches(parseChanges(listed), output, isCut)
}

/** A page in the order oldest first: git counts from the newest, and reverses the page it has chosen. */
async function listOldest(source: Source, range: string, total: number, page: PageRequest): Promise<string[]> {
  const count = Math.min(page.limit, total - page.offset)
  if (count <= 0) return []
  const part = [`--max-count=${count}`, `--skip=${total - page.offset - count}`]
  const listed = await source.remember(['rev-list', '--reverse', ...part, range])
  return listed.toString().split('\n').filter(Boolean)
}

async function findFork(source: Source, base: string, head: string): Promise<string> {
  const { code, output } = await source.mergeBase(base, head)
  if (code !== 0) throw notFound()
  return output.toString().trim()
}

async function compare(source: Source, base: string, head: string, page: PageRequest): Promise<Comparison> {
  const fork = await findFork(source, base, head)
  const counted = await source.remember(['rev-list', '--left-right', '--count', `${base}...${head}`])
  const [behind = 0, ahead = 0] = counted.toString().trim().split('\t').map(Number)
  const shas = await listOldest(source, `${base}..${head}`, ahead, page)
  const shown = await source.commits([base, fork, ...shas])
  return {
    base: shown[0]!,
    fork: shown[1]!,
    ahead,
    behind,
    commits: shown.slice(2),
    changes: await diffIn(source, [fork, head]),
  }
}
