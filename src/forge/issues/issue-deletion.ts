/** Deletes an issue: its number stays taken, its events answer "gone", and its text is erased everywhere. */
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { invalidField } from '../failures.ts'
import { actOf, withIssueLocks } from './issue-act.ts'
import type { IssueReading } from './issue-reading.ts'
import { demandMayChange } from './issue-rights.ts'
import { findIssue } from './issue-row.ts'
import { countOpen, subjectOf } from './issue-state.ts'
import { countInMilestone } from './milestones/milestone-rows.ts'

export type IssueDeletion = ReturnType<typeof makeIssueDeletion>

type Needs = { store: Store; clock: Clock; activity: ActivityRecord; reading: IssueReading }

export function makeIssueDeletion({ store, clock, activity, reading }: Needs) {
  return {
    async remove(access: Access<'admin'>, number: number): Promise<void> {
      await store.write(async (trx) => {
        const issue = await findIssue(trx, access.repository.id, number)
        demandMayChange(access, issue, 'admin')
        if (issue.is_pull === 1) throw invalidField('issue', 'invalid', 'Pull requests can’t be deleted: close it.')
        const now = clock.now()
        const before = await reading.readById(issue.id, trx)
        if (issue.state === 'open') await countOpen(trx, issue.repository_id, -1)
        await countInMilestone(trx, issue.milestone_id, issue.state, -1, now)
        await removeParts(trx, issue.id)
        await trx
          .updateTable('issue')
          .set({ title: '', body: null, milestone_id: null, pinned_at: null, deleted_at: now, updated_at: now })
          .where('id', '=', issue.id)
          .execute()
        await activity.record(trx, {
          kind: 'issue-deleted',
          ...subjectOf(actOf(access, now), issue.id),
          data: { gone: { issue: before! } },
        })
      }, withIssueLocks(access.repository.id))
    },
  }
}

async function removeParts(trx: Db, id: number): Promise<void> {
  const comments = trx.selectFrom('issue_comment').select('id').where('issue_id', '=', id)
  await trx
    .deleteFrom('reaction')
    .where((eb) =>
      eb.or([
        eb.and([eb('subject_kind', '=', 'issue'), eb('subject_id', '=', id)]),
        eb.and([eb('subject_kind', '=', 'issue-comment'), eb('subject_id', 'in', comments)]),
      ]),
    )
    .execute()
  await trx.deleteFrom('issue_comment').where('issue_id', '=', id).execute()
  await trx.deleteFrom('issue_label').where('issue_id', '=', id).execute()
  await trx.deleteFrom('issue_assignee').where('issue_id', '=', id).execute()
  await trx.deleteFrom('issue_mention').where('issue_id', '=', id).execute()
  await trx
    .deleteFrom('cross_reference')
    .where((eb) => eb.or([eb('source_id', '=', id), eb('target_id', '=', id)]))
    .execute()
  // Events are hidden, and the names and titles in them erased.
  await trx.updateTable('issue_event').set({ is_hidden: 1, data: '{}' }).where('issue_id', '=', id).execute()
}
