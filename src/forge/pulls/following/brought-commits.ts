/**
 * What pulls bring from forks to a repository counts to who opened the pull, be it from another's branch, which is then
 * followed because they wanted it so: neither to the owner of the repository nor to that of the fork, who did not ask for
 * it. Once a pull is merged, it is the owner's.
 */

import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Repository } from '../../access/repository.ts'
import { reclaimAfterMs, reclaimKind } from '../../git/folders/tidying.ts'
import type { Admit, Git } from '../../git/process/git.ts'
import type { Copying } from '../../git/write/copying.ts'
import { type StorageQuota, storageLock } from '../../storage/storage-quota.ts'
import { openerOf, type PullRows } from '../pull-row.ts'

const kib = 1024

const forgetKind = 'forge.forget-brought'

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  git: Git
  copying: Copying
  storage: Pick<StorageQuota, 'demandSpace' | 'demandSpaceFor'>
}

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
  async function findPayer(id: number, { owner }: Repository): Promise<number | undefined> {
    if (id === owner.id) return undefined
    const account = store.db.selectFrom('account').select('kind').where('id', '=', id)
    return (await account.executeTakeFirst())?.kind === 'bot' ? undefined : id
  }

  /** What the commit leads to and no ref does yet. Where git is too long at it, as much as the fork has. */
  async function measureNew(from: Repository, into: Repository, sha: string): Promise<number> {
    const words = ['rev-list', '--objects', '--disk-usage', sha, '--not', '--all']
    const bytes = await git.read(into, words).then(Number, () => from.sizeKib * kib)
    return Math.ceil(bytes / kib)
  }

  type Whose = { readonly payer: number | undefined; readonly issueId: number | null; readonly sha: string }

  /** Refuses what is too much for who pays. Answers its id; undefined where it is the owner's. */
  const count = (into: Repository, sizeKib: number, { payer, issueId, sha }: Whose): Promise<number | undefined> => {
    const payerId = payer ?? into.owner.id
    return store.write(
      async (trx) => {
        if (issueId !== null && (await isCounted(trx, issueId, sha))) return undefined
        await storage.demandSpaceFor(payerId, sizeKib * kib, trx)
        await addSize(trx, into.id, sizeKib)
        if (payer === undefined) return undefined
        const row = { repository_id: into.id, account_id: payer, issue_id: issueId, size_kib: sizeKib, sha }
        const { id } = await trx.insertInto('pull_usage').values(row).returning('id').executeTakeFirstOrThrow()
        if (issueId === null) await jobs.enqueue(trx, forgetKind, { id }, { runAt: clock.now() + reclaimAfterMs })
        return id
      },
      { alone: [storageLock(payerId)] },
    )
  }

  const findTestPayer = async (into: Repository, rows: PullRows): Promise<number | undefined> =>
    rows.row.head_repository_id === into.id ? undefined : findPayer(openerOf(rows), into)

  return {
    /** Answers under which id it is counted; undefined where there is nothing to count. */
    async bring(
      from: Repository,
      into: Repository,
      sha: string,
      { payerId, issueId = null }: { readonly payerId: number; readonly issueId?: number | null },
    ): Promise<number | undefined> {
      if (from.id === into.id) return undefined
      const payer = await findPayer(payerId, into)
      await storage.demandSpace({ owner: { id: payer ?? into.owner.id } })
      let counted: number | undefined
      const admit: Admit = async (sizeKib) => {
        counted = await count(into, sizeKib, { payer, issueId, sha })
        return async () => {
          const id = counted
          counted = undefined
          // Of an open pull it is counted once, by who was the first at it, whoever was the first to be done.
          if (issueId !== null) return
          await store.write((trx) => (id === undefined ? addSize(trx, into.id, -sizeKib) : undoBroughtWithin(trx, id)))
        }
      }
      await copying.bring(from, into, sha, admit)
      // What came before for a pull that was refused lies here still, and is this one's.
      if (counted === undefined && payer !== undefined && issueId === null) {
        const leftKib = await measureNew(from, into, sha)
        if (leftKib > 0) await admit(leftKib, undefined)
      }
      return counted
    },

    /** What a test merge takes counts to who pays for the pull; of one within the repository, to its owner. */
    async countTest(into: Repository, rows: PullRows, sha: string, sizeKib: number) {
      const issueId = rows.issue.id
      const payer = await findTestPayer(into, rows)
      const counted = await count(into, sizeKib, { payer, issueId, sha })
      return () =>
        store.write((trx) =>
          counted === undefined ? addSize(trx, into.id, -sizeKib) : undoBroughtWithin(trx, counted),
        )
    },

    /** What update-branch brings is the owner's of where it comes to. Where it is refused after all, git lets go of it later. */
    async bringBase(from: Repository, into: Repository, sha: string): Promise<void> {
      await copying.bring(from, into, sha, async (sizeKib) => {
        await count(into, sizeKib, { payer: undefined, issueId: null, sha })
        await store.write((trx) => reclaimBroughtWithin(trx, { jobs, clock }, into.id))
        return () => store.write((trx) => addSize(trx, into.id, -sizeKib))
      })
    },
  }
}

/** Several may follow the same push at once. */
async function isCounted(trx: Db, issueId: number, sha: string): Promise<boolean> {
  const row = trx.selectFrom('pull_usage').select('id').where('issue_id', '=', issueId).where('sha', '=', sha)
  return (await row.executeTakeFirst()) !== undefined
}

async function addSize(trx: Db, repositoryId: number, kibMore: number): Promise<void> {
  await trx
    .updateTable('repository')
    .set((eb) => ({ size_kib: eb('size_kib', '+', kibMore) }))
    .where('id', '=', repositoryId)
    .execute()
}

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

/** A pull has a new head that does not lead to the old one, which counts until git has let go of it. */
export async function reclaimBroughtWithin(
  trx: Db,
  { jobs, clock }: Pick<Needs, 'jobs' | 'clock'>,
  repositoryId: number,
): Promise<void> {
  const later = { key: String(repositoryId), runAt: clock.now() + reclaimAfterMs }
  await jobs.enqueue(trx, reclaimKind, { repositoryId }, later)
}

/** The pull is merged: what it brought is the repository's own. */
export async function releaseBroughtWithin(trx: Db, issueId: number): Promise<void> {
  await trx.deleteFrom('pull_usage').where('issue_id', '=', issueId).execute()
}

/** A branch was pushed to: what was tried to merge into it before is the repository's own, since those who pay for the pulls have not done it. */
export async function releaseTestsWithin(trx: Db, repositoryId: number, branch: string): Promise<void> {
  await trx
    .deleteFrom('pull_usage')
    .where('repository_id', '=', repositoryId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('pull')
          .select('pull.issue_id')
          .whereRef('pull.issue_id', '=', 'pull_usage.issue_id')
          .whereRef('pull.test_merge_sha', '=', 'pull_usage.sha')
          .where('pull.base_ref', '=', branch),
      ),
    )
    .execute()
}

/** The pull is to be merged elsewhere: what was tried before is the repository's own, unless who wants it so pays for it. */
export async function releaseTestWithin(
  trx: Db,
  { issue_id, test_merge_sha: sha }: PullRows['row'],
  actorId: number,
): Promise<void> {
  if (sha === null) return
  const tried = trx.deleteFrom('pull_usage').where('issue_id', '=', issue_id).where('sha', '=', sha)
  await tried.where('account_id', '!=', actorId).execute()
}
