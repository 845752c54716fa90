/** The two ends of a pull in git: where a branch is now, whether its commits may come to the base, and the ref that keeps them there. */
import { type Actor, theServer } from '../../accounts/actor.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import { maySee, type Opening } from '../access/opening.ts'
import { findLevel, type OpenRepository, type Repository } from '../access/repository.ts'
import type { Git } from '../git/process/git.ts'
import type { Reading } from '../git/read/reading.ts'
import { isObjectId } from '../git/ref-name.ts'
import type { Copying } from '../git/write/copying.ts'
import { listBlocked } from '../issues/blocking.ts'
import type { LfsSharing } from '../lfs/lfs-sharing.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { makeBroughtCommits } from './following/brought-commits.ts'
import { pullRef } from './pull.ts'
import type { PullRows } from './pull-row.ts'

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  git: Git
  reading: Reading
  opening: Opening
  copying: Copying
  lfsSharing: LfsSharing
  storage: Pick<StorageQuota, 'demandSpace' | 'demandSpaceFor'>
}

export type PullEnds = ReturnType<typeof makePullEnds>

export function makePullEnds(needs: Needs) {
  const { store, git, reading, opening, lfsSharing } = needs
  const broughtCommits = makeBroughtCommits(needs)

  async function isFrozen({ row, issue }: PullRows, on: Db = store.db): Promise<boolean> {
    if (row.head_repository_id === row.repository_id) return false
    const people = [issue.author_id, row.opener_id, row.head_owner_id].filter((id) => id !== null)
    return (await listBlocked(on, row.repository_id, people)).size > 0
  }

  return {
    /** As git has it now, whatever was remembered. */
    async findTip(repository: Repository, branch: string): Promise<string | undefined> {
      const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}^{commit}`]
      const { output } = await git.run(repository, words)
      const sha = output.toString().trim()
      return isObjectId(sha) ? sha : undefined
    },

    /** As it is since the last push that was answered, as all that is read tells it: without a process of git's each time. */
    recallTip: async (repository: Repository, branch: string): Promise<string | undefined> =>
      (await reading.head(repository, `refs/heads/${branch}^{commit}`))?.sha,

    /** For the server itself. */
    findRepository: async (id: number | null, on?: Db): Promise<OpenRepository | undefined> =>
      id === null ? undefined : opening.find(theServer, { id }, on),

    findVisible: async (actor: Actor, id: number | null): Promise<OpenRepository | undefined> => {
      const found = id === null ? undefined : await opening.find(actor, { id })
      return found && maySee(actor, found) ? found : undefined
    },

    /**
     * Whether the owner of the base has blocked somebody whose pull it is, or whose fork its head is in: it stays as it is
     * then, whatever becomes of the head.
     */
    isFrozen,

    /**
     * What is pushed to a head elsewhere that became private after the pull was opened stays there; and of one that was
     * private all along, what is pushed once the pull's author could no longer open it.
     */
    async mayFollow(head: Repository, { row, issue }: PullRows, on: Db = store.db): Promise<boolean> {
      if (head.id === row.repository_id) return true
      if (await isFrozen({ row, issue }, on)) return false
      if (!head.isPrivate) return true
      if (row.was_head_private === 0) return false
      return reaches(await findLevel(on, head.id, await findRightsHolder(on, issue)), 'write')
    },

    /** The head's commits, to the base's repository, which is lent the large files that they point to. Answers what it counts as. */
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

    /** The base's commits, to where the head is, with their large files. */
    async bringBase(from: Repository, into: Repository, sha: string): Promise<void> {
      await broughtCommits.bringBase(from, into, sha)
      await lfsSharing.give(from, into, sha)
    },

    /** What the head's commits point to is the base's own, before they are in one of its branches. */
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

/** The author; of an app's pull the owner of the base, on whose repositories alone the app was let act. */
async function findRightsHolder(db: Db, issue: PullRows['issue']): Promise<number> {
  const { kind, owner_id } = await db
    .selectFrom('repository')
    .innerJoin('account', (join) => join.on('account.id', '=', issue.author_id))
    .select(['account.kind', 'repository.owner_id'])
    .where('repository.id', '=', issue.repository_id)
    .executeTakeFirstOrThrow()
  return kind === 'bot' ? owner_id : issue.author_id
}
