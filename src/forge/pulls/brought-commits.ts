/**
 * What pulls bring from forks to a repository counts to whoever opened them, not to the owner of the repository, who did not
 * ask for it; once a pull is merged, it is the owner's.
 */
import type { Clock } from '../../base/clock.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'
import type { Copying } from '../git/copying.ts'
import type { Git } from '../git/git.ts'
import { reclaimAfterMs, reclaimKind } from '../git/tidying.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'

const kib = 1024

const forgetKind = 'forge.forget-brought'

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  git: Git
  copying: Copying
  storage: Pick<StorageQuota, 'demandRoom'>
}

export type BroughtCommits = ReturnType<typeof makeBroughtCommits>

export function makeBroughtCommits({ store, clock, jobs, git, copying, storage }: Needs) {
  /** What was brought for a pull that never was: by now git does away with it. */
  jobs.define<{ id: number }>(forgetKind, ({ id }) =>
    store.write(async (trx) => {
      const unused = trx.deleteFrom('pull_usage').where('id', '=', id).where('issue_id', 'is', null)
      const gone = await unused.returning('repository_id').executeTakeFirst()
      if (!gone) return
      const { repository_id: repositoryId } = gone
      await jobs.enqueue(trx, reclaimKind, { repositoryId }, { key: String(repositoryId) })
    }),
  )

  /** What an app brings is the owner's, who let it act there. */
  async function findPayer(authorId: number, { owner }: Repository): Promise<number | undefined> {
    if (authorId === owner.id) return undefined
    const account = store.db.selectFrom('account').select('kind').where('id', '=', authorId)
    return (await account.executeTakeFirst())?.kind === 'bot' ? undefined : authorId
  }

  /** What the commit leads to and no ref does yet. Where git is too long at it, as much as the fork has. */
  async function measureNew(from: Repository, into: Repository, sha: string): Promise<number> {
    const words = ['rev-list', '--objects', '--disk-usage', sha, '--not', '--all']
    const bytes = await git.read(into, words).then(Number, () => from.sizeKib * kib)
    return Math.ceil(bytes / kib)
  }

  return {
    /** Answers under which id it is counted; undefined where there is nothing to count. */
    async bring(
      from: Repository,
      into: Repository,
      sha: string,
      { authorId, issueId = null }: { readonly authorId: number; readonly issueId?: number | null },
    ): Promise<number | undefined> {
      if (from.id === into.id) return undefined
      const payer = await findPayer(authorId, into)
      if (payer !== undefined) await storage.demandRoom({ owner: { id: payer } })
      await copying.bring(from, into, sha)
      const sizeKib = payer === undefined ? 0 : await measureNew(from, into, sha)
      if (payer === undefined || sizeKib === 0) return undefined
      return store.write(async (trx) => {
        await addSize(trx, into.id, sizeKib)
        const row = { repository_id: into.id, account_id: payer, issue_id: issueId, size_kib: sizeKib }
        const { id } = await trx.insertInto('pull_usage').values(row).returning('id').executeTakeFirstOrThrow()
        if (issueId === null) await jobs.enqueue(trx, forgetKind, { id }, { runAt: clock.now() + reclaimAfterMs })
        return id
      })
    },
  }
}

const addSize = (trx: Db, repositoryId: number, kibMore: number) =>
  trx
    .updateTable('repository')
    .set((eb) => ({ size_kib: eb('size_kib', '+', kibMore) }))
    .where('id', '=', repositoryId)
    .execute()

/** The pull that it was brought for is not opened, and the same is there for another. */
export async function undoBroughtWithin(trx: Db, id: number | undefined): Promise<void> {
  if (id === undefined) return
  const gone = await trx.deleteFrom('pull_usage').where('id', '=', id).returningAll().executeTakeFirst()
  if (gone) await addSize(trx, gone.repository_id, -gone.size_kib)
}

/** The pull that it was brought for is opened. */
export async function nameBroughtWithin(trx: Db, id: number | undefined, issueId: number): Promise<void> {
  if (id === undefined) return
  await trx.updateTable('pull_usage').set({ issue_id: issueId }).where('id', '=', id).execute()
}

/** The pull is merged: what it brought is the repository's own. */
export async function releaseBroughtWithin(trx: Db, issueId: number): Promise<void> {
  await trx.deleteFrom('pull_usage').where('issue_id', '=', issueId).execute()
}
