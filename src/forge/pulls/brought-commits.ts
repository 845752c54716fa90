/**
 * What pulls bring from forks to a repository counts to whoever opened them, not to the owner of the repository, who did not
 * ask for it; once a pull is merged, it is the owner's.
 */
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'
import type { Copying } from '../git/copying.ts'
import type { Git } from '../git/git.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'

const kib = 1024

type Needs = { store: Store; git: Git; copying: Copying; storage: Pick<StorageQuota, 'demandRoom'> }

export type BroughtCommits = ReturnType<typeof makeBroughtCommits>

export function makeBroughtCommits({ store, git, copying, storage }: Needs) {
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
        await trx
          .updateTable('repository')
          .set((eb) => ({ size_kib: eb('size_kib', '+', sizeKib) }))
          .where('id', '=', into.id)
          .execute()
        const row = { repository_id: into.id, account_id: payer, issue_id: issueId, size_kib: sizeKib }
        return (await trx.insertInto('pull_usage').values(row).returning('id').executeTakeFirstOrThrow()).id
      })
    },
  }
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
