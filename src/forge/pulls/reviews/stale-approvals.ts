/** Dismisses approvals that a push has made stale, if the base branch's rules say so. */
import type { Db } from '../../../store/schema/schema.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { recordEvent } from '../../issues/event-recording.ts'
import { type IssueAct, placeOf } from '../../issues/issue-act.ts'
import { touchIssue } from '../../issues/issue-row.ts'
import { subjectOf } from '../../issues/issue-state.ts'

/** Within a write that holds the repository's issues lock. Approvals of the new commit stay. */
export async function dismissApprovals(
  trx: Db,
  activity: ActivityRecord,
  by: IssueAct,
  issueId: number,
  commitSha: string,
): Promise<void> {
  const stale = await trx
    .updateTable('review')
    .set({ state: 'DISMISSED', updated_at: by.now })
    .where('issue_id', '=', issueId)
    .where('state', '=', 'APPROVED')
    .where('commit_sha', '!=', commitSha)
    .returning('id')
    .execute()
  if (stale.length === 0) return
  for (const { id: reviewId } of stale.toSorted((a, b) => a.id - b.id)) {
    const dismissedReview = { state: 'approved', reviewId, message: null, commitSha }
    await recordEvent(trx, placeOf(by, issueId), 'review_dismissed', { dismissedReview })
    const data = { action: 'dismissed', reviewId } as const
    await activity.record(trx, { kind: 'review-changed', ...subjectOf(by, issueId), data })
  }
  await touchIssue(trx, issueId, by.now)
}
