/** Head branches of open pulls that maintainers of the base may push to because the author allows it. */
import type { Store } from '../../store/store.ts'
import type { ListMaintained } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'

/** Pulls of one fork that are checked, and their bases: each base costs one check of rights. */
const maxPulls = 200
const maxBases = 20

/** Only an author who owns the head's repository can allow it: otherwise it would outlast their rights there. */
export const isOwnHead = (head: Pick<Repository, 'owner'> | undefined, authorId: number): boolean =>
  head?.owner.id === authorId

/** Applies while the pull is open and its author, who owns the head, allows it. The token must cover both. */
export const makeMaintainedBranches =
  ({ store: { db } }: { store: Store }): ListMaintained =>
  async ({ id }, mayWrite) => {
    const rows = await db
      .selectFrom('pull')
      .innerJoin('issue', 'issue.id', 'pull.issue_id')
      .innerJoin('repository as head', 'head.id', 'pull.head_repository_id')
      .select(['pull.head_ref', 'pull.repository_id'])
      .where('pull.head_repository_id', '=', id)
      .where('pull.repository_id', '!=', id)
      .where('pull.may_maintainers_push', '=', 1)
      .whereRef('head.owner_id', '=', 'issue.author_id')
      .where('pull.merged_at', 'is', null)
      .where('issue.state', '=', 'open')
      .where('issue.deleted_at', 'is', null)
      .orderBy('pull.issue_id', 'desc')
      .limit(maxPulls)
      .execute()
    const bases = [...new Set(rows.map(({ repository_id }) => repository_id))].slice(0, maxBases)
    const open = new Set<number>()
    for (const base of bases) if (await mayWrite(base)) open.add(base)
    return rows.filter(({ repository_id }) => open.has(repository_id)).map(({ head_ref }) => head_ref)
  }
