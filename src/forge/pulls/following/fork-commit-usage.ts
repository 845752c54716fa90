/**
 * Storage accounting for commits that pulls bring from forks. They count towards the account that opened the pull, even
 * if it follows another's branch, because that account asked for them; neither the repository's owner nor the fork's
 * did. Once the pull is merged, they count towards the repository's owner.
 */

import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Repository } from '../../access/repository.ts'
import { reclaimAfterMs, reclaimKind } from '../../git/folders/maintenance.ts'
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

export function makeForkCommitUsage({ store, clock, jobs, git, copying, storage }: Needs) {
  /** Commits brought for a pull that was never opened: git prunes them by now. */
  jobs.define<{ id: number }>(forgetKind, ({ id }) =>
    store.write(async (trx) => {
      const unused = trx.deleteFrom('pull_usage').where('id', '=', id).where('issue_id', 'is', null)
      const gone = await unused.returning('repository_id').executeTakeFirst()
      if (!gone) return
      const { repository_id: repositoryId } = gone
      await jobs.enqueue(trx, reclaimKind, { repositoryId }, { key: String(repositoryId) })
    }),
  )

  /** Commits that an app brings count towards the owner, who let it act there. */
  async function findPayer(id: number, { owner }: Repository): Promise<number | undefined> {
    if (id === owner.id) return undefined
    const account = store.db.selectFrom('account').select('kind').where('id', '=', id)
    return (await account.executeTakeFirst())?.kind === 'bot' ? undefined : id
  }

  /** The size of the commit's objects that no ref reaches yet. If git takes too long, the fork's whole size. */
  async function measureNew(from: Repository, into: Repository, sha: string): Promise<number> {
    const words = ['rev-list', '--objects', '--disk-usage', sha, '--not', '--all']
    const bytes = await git.read(into, words).then(Number, () => from.sizeKib * kib)
    return Math.ceil(bytes / kib)
  }

  type Whose = { readonly payer: number | undefined; readonly issueId: number | null; readonly sha: string }

  /** Throws beyond the payer's quota. Answers the usage row's id; undefined if it counts towards the owner. */
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
      { locks: [storageLock(payerId)] },
    )
  }

  const findTestPayer = async (into: Repository, rows: PullRows): Promise<number | undefined> =>
    rows.row.head_repository_id === into.id ? undefined : findPayer(openerOf(rows), into)

  return {
    /** Answers the id of the usage row; undefined if nothing is counted. */
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
          // For an open pull, a commit is counted once, by the first request, whichever of them finishes first.
          if (issueId !== null) return
          await store.write((trx) =>
            id === undefined ? addSize(trx, into.id, -sizeKib) : undoForkUsageWithin(trx, id),
          )
        }
      }
      await copying.bring(from, into, sha, admit)
      // Commits that remain from an earlier, refused pull are counted for this one.
      if (counted === undefined && payer !== undefined && issueId === null) {
        const leftKib = await measureNew(from, into, sha)
        if (leftKib > 0) await admit(leftKib, undefined)
      }
      return counted
    },

    /** A test merge counts towards the pull's payer; for a pull within the repository, towards its owner. */
    async countTest(into: Repository, rows: PullRows, sha: string, sizeKib: number) {
      const issueId = rows.issue.id
      const payer = await findTestPayer(into, rows)
      const counted = await count(into, sizeKib, { payer, issueId, sha })
      return () =>
        store.write((trx) =>
          counted === undefined ? addSize(trx, into.id, -sizeKib) : undoForkUsageWithin(trx, counted),
        )
    },

    /** Commits that update-branch brings count towards the head's owner. If it fails later, git prunes them. */
    async bringBase(from: Repository, into: Repository, sha: string): Promise<void> {
      await copying.bring(from, into, sha, async (sizeKib) => {
        await count(into, sizeKib, { payer: undefined, issueId: null, sha })
        await store.write((trx) => reclaimForkUsageWithin(trx, { jobs, clock }, into.id))
        return () => store.write((trx) => addSize(trx, into.id, -sizeKib))
      })
    },
  }
}

/** Several requests may follow the same push at once. */
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

/** The pull was not opened after all, or another one has brought the same commits. */
export async function undoForkUsageWithin(trx: Db, id: number | undefined): Promise<void> {
  if (id === undefined) return
  const gone = await trx.deleteFrom('pull_usage').where('id', '=', id).returningAll().executeTakeFirst()
  if (gone) await addSize(trx, gone.repository_id, -gone.size_kib)
}

/** The pull that the commits were brought for is opened. */
export async function assignForkUsageWithin(trx: Db, id: number | undefined, issueId: number): Promise<void> {
  if (id === undefined) return
  await trx.updateTable('pull_usage').set({ issue_id: issueId }).where('id', '=', id).execute()
}

/** A pull's new head does not contain the old one, which counts until git has pruned it. */
export async function reclaimForkUsageWithin(
  trx: Db,
  { jobs, clock }: Pick<Needs, 'jobs' | 'clock'>,
  repositoryId: number,
): Promise<void> {
  const later = { key: String(repositoryId), runAt: clock.now() + reclaimAfterMs }
  await jobs.enqueue(trx, reclaimKind, { repositoryId }, later)
}

/** The pull is merged: its commits now count towards the repository's owner. */
export async function releaseForkUsageWithin(trx: Db, issueId: number): Promise<void> {
  await trx.deleteFrom('pull_usage').where('issue_id', '=', issueId).execute()
}

/**
 * After a push to a base branch, earlier test merges into it count towards the repository: those who pay for the pulls
 * did not push.
 */
export async function releaseTestUsagesWithin(trx: Db, repositoryId: number, branch: string): Promise<void> {
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

/** After a pull's base changed, its earlier test merge counts towards the repository, unless the actor pays for it. */
export async function releaseTestUsageWithin(
  trx: Db,
  { issue_id, test_merge_sha: sha }: PullRows['row'],
  actorId: number,
): Promise<void> {
  if (sha === null) return
  const tried = trx.deleteFrom('pull_usage').where('issue_id', '=', issue_id).where('sha', '=', sha)
  await tried.where('account_id', '!=', actorId).execute()
}
