/** Follows a pull's head: after a push to its branch the pull has the new commits, and its ref keeps them. */

import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Store } from '../../../store/store.ts'
import type { Pushes } from '../../git/push/pushes.ts'
import { zeroId } from '../../git/ref-name.ts'
import { withIssueLocks } from '../../issues/issue-act.ts'
import { touchIssue } from '../../issues/issue-row.ts'
import { pullRef } from '../pull.ts'
import type { PullEnds } from '../pull-ends.ts'
import { getPullRows, isOpen, openerOf, type PullRows } from '../pull-row.ts'

type Needs = { store: Store; clock: Clock; jobs: Jobs; pushes: Pushes; ends: PullEnds }

export const pullRefKind = 'forge.pull-ref'

export type PullFollowing = ReturnType<typeof makePullFollowing>

export function makePullFollowing({ store, clock, jobs, pushes, ends }: Needs) {
  /** Moves the pull's ref to the head commit in its row, and records that as a push by the pull's author. */
  async function keepRef(issueId: number): Promise<void> {
    const { issue, row } = await getPullRows(store.db, issueId)
    const { head_sha: sha, ref_sha: before } = row
    if (sha === before) return
    const repository = await ends.findRepository(row.repository_id)
    if (!repository) return
    await ends.writeRef(repository, issue.number, sha)
    await store.write(async (trx) => {
      const kept = await trx
        .updateTable('pull')
        .set({ ref_sha: sha })
        .where('issue_id', '=', issueId)
        .where('head_sha', '=', sha)
        .where((eb) => eb.or([eb('ref_sha', 'is', null), eb('ref_sha', '!=', sha)]))
        .returning('issue_id')
        .executeTakeFirst()
      if (!kept) return
      const change = { ref: pullRef(issue.number), before: before ?? zeroId, after: sha }
      await pushes.recordWithin(trx, { id: issue.author_id }, repository, [change], repository.sizeKib)
    })
  }

  /** If the branch is deleted, hidden or unmoved, nothing changes. */
  async function followHead(issueId: number, findTip = ends.findTip): Promise<PullRows> {
    const known = await getPullRows(store.db, issueId)
    const { row } = known
    if (!isOpen(known)) return known
    const [base, head] = [
      await ends.findRepository(row.repository_id),
      await ends.findRepository(row.head_repository_id),
    ]
    if (!base || !head || base.isArchived || base.isLocked) return known
    if (!(await ends.mayFollow(head, known))) return known
    const tip = await findTip(head, row.head_ref)
    if (tip && tip !== row.head_sha) {
      // The opener pays, not the head's owner, who need not know of a pull that others opened from their branch.
      const whose = { payerId: openerOf(known), issueId }
      const isBrought = await ends.bringHead(head, base, tip, whose).then(() => true, unlessFull)
      if (!isBrought) return known
      await store.write(async (trx) => {
        const moved = await trx
          .updateTable('pull')
          .set({ head_sha: tip })
          .where('issue_id', '=', issueId)
          .where('head_sha', '=', row.head_sha)
          .where('merged_at', 'is', null)
          .returning('issue_id')
          .executeTakeFirst()
        if (!moved) return
        await touchIssue(trx, issueId, clock.now())
        await jobs.enqueue(trx, pullRefKind, { issueId }, { key: String(issueId) })
      }, withIssueLocks(base.id))
    }
    await keepRef(issueId)
    return getPullRows(store.db, issueId)
  }

  jobs.define<{ issueId: number }>(pullRefKind, ({ issueId }) => keepRef(issueId).catch(unlessGone))

  return { keepRef, followHead }
}

/** If the payer has no room left, the pull stays where it is. */
function unlessFull(error: unknown): false {
  if (!(error instanceof Failure) || error.code !== 'quota') throw error
  return false
}

/** Ignores that something was deleted meanwhile. */
export function unlessGone(error: unknown): undefined {
  const { kind } = error as { kind?: string }
  if (kind !== 'not-found') throw error
  return undefined
}
