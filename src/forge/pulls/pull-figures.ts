/** A pull's figures from git: commits, files and mergeability, cached by the commits at both ends. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { identityOf, type Repository } from '../access/repository.ts'
import type { Commit } from '../git/read/commit.ts'
import type { Comparing, PatchForm } from '../git/read/comparing.ts'
import type { FileChange } from '../git/read/diff.ts'
import type { Merging } from '../git/write/merging.ts'
import { onGitLimit, retryPeriod } from './git-limits.ts'
import type { UnlessLost } from './lost-commits.ts'
import type { Pull } from './pull.ts'

export type Sizes = {
  readonly commits: number
  readonly additions: number
  readonly deletions: number
  readonly changedFiles: number
}

/** Null if unknown, or if the pull is closed. */
export type Mergeability = { readonly isMergeable: boolean | null; readonly isRebaseable: boolean | null }

const unknown: Mergeability = { isMergeable: null, isRebaseable: null }

type Ends = { readonly base: string; readonly head: string }

/** A trial merge writes to disk. */
function unlessDiskFull(error: unknown): Mergeability {
  const explained = explainOutage(error)
  if (explained instanceof Failure && explained.code === 'disk-full') return unknown
  throw error
}

const mostRemembered = 5_000
/** Commits per trial rebase: each one costs several processes. */
const maxTried = 10
/** As on the public platform. */
export const maxPullCommits = 250
export const maxPullFiles = 3000

export type PullFigures = ReturnType<typeof makePullFigures>

type Needs = { clock: Clock; comparing: Comparing; merging: Merging; unlessLost: UnlessLost }

export function makePullFigures({ clock, comparing, merging, unlessLost }: Needs) {
  type Load<T> = () => Promise<T>
  const makeMemo = <T extends object | string>() =>
    new LRUCache<string, T, Load<T>>({
      max: mostRemembered,
      fetchMethod: (_key, _stale, { context: load }) => load(),
      // Callers get their answer even if the entry was evicted meanwhile.
      ignoreFetchAbort: true,
    })
  const forks = makeMemo<string>()
  const merges = makeMemo<Mergeability>()
  const conflicts = makeMemo<readonly string[]>()

  async function findFork(repository: Repository, ends: Ends): Promise<string> {
    const key = JSON.stringify([identityOf(repository), ends])
    return forks.forceFetch(key, { context: async () => (await merging.findFork(repository, ends)) ?? ends.head })
  }

  /** From the merge base, which a merged pull stores. */
  async function endsOf({ base, head, forkSha }: Pull): Promise<Ends> {
    const fork = forkSha ?? (await findFork(base.repository, { base: base.sha, head: head.sha }))
    return { base: fork, head: head.sha }
  }

  async function tryMerge(repository: Repository, ends: Ends): Promise<Mergeability> {
    const isMergeable = await merging.isMergeable(repository, ends)
    const committer = 'unknown <> 0 +0000'
    const tried = isMergeable
      ? await merging.rehearseRebase(repository, { ...ends, committer }, maxTried)
      : ('conflict' as const)
    return { isMergeable, isRebaseable: tried === 'too-many' ? null : tried === 'merged' }
  }

  return {
    async mergeability(pull: Pull): Promise<Mergeability> {
      const { issue, base, head } = pull
      if (issue.state === 'closed') return unknown
      const { repository } = base
      const ends = { base: base.sha, head: head.sha }
      const key = JSON.stringify([identityOf(repository), ends, retryPeriod(clock)])
      const attempt = () => tryMerge(repository, ends).catch(onGitLimit(unknown))
      return unlessLost(pull, unknown, () => merges.forceFetch(key, { context: attempt }).catch(unlessDiskFull))
    },

    /** The files in conflict with the base; none of a closed pull, and none where git takes too long. */
    async conflicts(pull: Pull): Promise<readonly string[]> {
      const { issue, base, head } = pull
      if (issue.state === 'closed') return []
      const { repository } = base
      const ends = { base: base.sha, head: head.sha }
      const key = JSON.stringify([identityOf(repository), ends, retryPeriod(clock)])
      const attempt = () => merging.listConflicts(repository, ends).catch(onGitLimit<readonly string[]>([]))
      return unlessLost(pull, [], () => conflicts.forceFetch(key, { context: attempt }))
    },

    sizes: (pull: Pull): Promise<Sizes> =>
      unlessLost(pull, { commits: 0, additions: 0, deletions: 0, changedFiles: 0 }, async () => {
        const { repository } = pull.base
        const { base, head } = await endsOf(pull)
        const [commits, changes] = await Promise.all([
          comparing.countCommits(repository, base, head),
          comparing.listChanges(repository, base, head),
        ])
        const sum = (name: 'additions' | 'deletions') => changes.reduce((total, change) => total + change[name], 0)
        return { commits, additions: sum('additions'), deletions: sum('deletions'), changedFiles: changes.length }
      }),

    /** Oldest first. */
    commits: (pull: Pull, page: PageRequest): Promise<Page<Commit>> =>
      unlessLost(pull, { total: 0, items: [] }, async () => {
        const { base, head } = await endsOf(pull)
        const total = Math.min(await comparing.countCommits(pull.base.repository, base, head), maxPullCommits)
        const limit = Math.min(page.limit, Math.max(0, total - page.offset))
        const wanted = { ...page, limit }
        return { total, items: await comparing.commitsBetween(pull.base.repository, base, head, wanted) }
      }),

    files: (pull: Pull): Promise<readonly FileChange[]> =>
      unlessLost(pull, [], async () => {
        const { base, head } = await endsOf(pull)
        return (await comparing.changesBetween(pull.base.repository, base, head)).slice(0, maxPullFiles)
      }),

    /** The changes between the merge base and a commit of the pull, for comments on its lines. */
    filesAt: (pull: Pull, sha: string): Promise<readonly FileChange[]> =>
      unlessLost(pull, [], async () => {
        const { base } = await endsOf(pull)
        return comparing.changesBetween(pull.base.repository, base, sha)
      }),

    textAs: (pull: Pull, form: PatchForm): Promise<Buffer> =>
      unlessLost(pull, Buffer.alloc(0), async () => {
        const { base, head } = await endsOf(pull)
        const { repository } = pull.base
        return comparing.compareAs({ repository, sha: base }, { repository, sha: head }, form)
      }),
  }
}
