/**
 * The two ends of a pull in git: a branch's present commit, whether its commits may be copied to the base, and the ref
 * that keeps them there.
 */
import { type Actor, theServer } from '../../accounts/actor.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import { maySee, type Opening } from '../access/opening.ts'
import { findLevel, type OpenRepository, type Repository } from '../access/repository.ts'
import type { Git } from '../git/process/git.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import { isObjectId } from '../git/ref-name.ts'
import type { Copying } from '../git/write/copying.ts'
import { listBlocked } from '../issues/blocking.ts'
import type { LfsSharing } from '../lfs/lfs-sharing.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { makeForkCommitUsage } from './following/fork-commit-usage.ts'
import { pullRef } from './pull.ts'
import type { PullRows } from './pull-row.ts'

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  git: Git
  reading: GitReading
  opening: Opening
  copying: Copying
  lfsSharing: LfsSharing
  storage: Pick<StorageQuota, 'demandSpace' | 'demandSpaceFor'>
}

export type PullEnds = ReturnType<typeof makePullEnds>

export function makePullEnds(needs: Needs) {
  const { store, git, reading, opening, lfsSharing } = needs
  const broughtCommits = makeForkCommitUsage(needs)

  async function isFrozen({ row, issue }: PullRows, on: Db = store.db): Promise<boolean> {
    if (row.head_repository_id === row.repository_id) return false
    const people = [issue.author_id, row.opener_id, row.head_owner_id].filter((id) => id !== null)
    return (await listBlocked(on, row.repository_id, people)).size > 0
  }

  return {
    /** Asks git now, ignoring caches. */
    async findTip(repository: Repository, branch: string): Promise<string | undefined> {
      const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}^{commit}`]
      const { output } = await git.run(repository, words)
      const sha = output.toString().trim()
      return isObjectId(sha) ? sha : undefined
    },

    /** From the cache, which is current as of the last answered push: no git process each time. */
    recallTip: async (repository: Repository, branch: string): Promise<string | undefined> =>
      (await reading.head(repository, `refs/heads/${branch}^{commit}`))?.sha,

    /** With the server's own rights. */
    findRepository: async (id: number | null, on?: Db): Promise<OpenRepository | undefined> =>
      id === null ? undefined : opening.find(theServer, { id }, on),

    findVisible: async (actor: Actor, id: number | null): Promise<OpenRepository | undefined> => {
      const found = id === null ? undefined : await opening.find(actor, { id })
      return found && maySee(actor, found) ? found : undefined
    },

    /**
     * Whether the owner of the base has blocked the pull's author, opener or head owner. Then the pull stays as it is,
     * whatever happens to its head.
     */
    isFrozen,

    /**
     * Whether the base may get new commits of the head. Not if the head's repository became private after the pull was
     * opened; if it was private from the start, not once the pull's author cannot write to it.
     */
    async mayFollow(head: Repository, { row, issue }: PullRows, on: Db = store.db): Promise<boolean> {
      if (head.id === row.repository_id) return true
      if (await isFrozen({ row, issue }, on)) return false
      if (!head.isPrivate) return true
      if (row.was_head_private === 0) return false
      return reaches(await findLevel(on, head.id, await findRightsHolder(on, issue)), 'write')
    },

    /**
     * Copies the head's commits to the base's repository, and lends it the large files that they point to. Answers the
     * usage row's id.
     */
    async bringHead(
      from: Repository,
      into: Repository,
      sha: string,
      whose: { readonly payerId: number; readonly issueId?: number },
    ): Promise<number | undefined> {
      const brought = await broughtCommits.bring(from, into, sha, whose)
      await lfsSharing.lend(from, into, sha)
      return brought
    },

    countTest: broughtCommits.countTest,

    /** Copies the base's commits and large files to the head's repository. */
    async bringBase(from: Repository, into: Repository, sha: string): Promise<void> {
      await broughtCommits.bringBase(from, into, sha)
      await lfsSharing.give(from, into, sha)
    },

    /** Makes the large files of the head's commits the base's own, before the commits are in one of its branches. */
    async keepLargeFiles(headId: number | null, base: Repository, sha: string): Promise<void> {
      const head = await this.findRepository(headId)
      if (head) await lfsSharing.give(head, base, sha)
    },

    async writeRef(repository: Repository, number: number, sha: string): Promise<void> {
      await git.read(repository, ['update-ref', pullRef(number), sha])
      await git.syncNames(repository, [pullRef(number)])
    },
  }
}

/** The pull's author; for an app's pull the base's owner, since the app may act on that owner's repositories alone. */
async function findRightsHolder(db: Db, issue: PullRows['issue']): Promise<number> {
  const { kind, owner_id } = await db
    .selectFrom('repository')
    .innerJoin('account', (join) => join.on('account.id', '=', issue.author_id))
    .select(['account.kind', 'repository.owner_id'])
    .where('repository.id', '=', issue.repository_id)
    .executeTakeFirstOrThrow()
  return kind === 'bot' ? owner_id : issue.author_id
}
