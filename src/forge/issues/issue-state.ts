/** Closing and reopening, as part of any act that does so: an edit, a merge, a commit's message. */
import type { StateReason } from '../../store/schema/issue-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { type Cause, recordEvent } from './event-recording.ts'
import { type IssueAct, placeOf } from './issue-act.ts'
import { getIssueRow, type IssueCore } from './issue-row.ts'
import { countInMilestone } from './milestones/milestone-rows.ts'

export type CloseReason = Exclude<StateReason, 'reopened'>

export type Closing = Cause & { readonly reason?: CloseReason | undefined }

export type IssueStates = ReturnType<typeof makeIssueStates>

/** Throws if a pull cannot be reopened. The module of pulls supplies it, since issues do not know pulls. */
export type ReopenRule = (trx: Db, issueId: number) => Promise<void>

export function makeIssueStates({ activity }: { activity: ActivityRecord }) {
  let demandReopenable: ReopenRule = async () => {}

  async function move(trx: Db, act: IssueAct, issue: IssueCore, reason: StateReason | null): Promise<void> {
    const { now, actorId } = act
    const closes = issue.state === 'open'
    const state = closes ? 'closed' : 'open'
    await trx
      .updateTable('issue')
      .set({
        state,
        state_reason: reason,
        closed_at: closes ? now : null,
        closed_by_id: closes ? actorId : null,
        updated_at: now,
      })
      .where('id', '=', issue.id)
      .execute()
    await countOpen(trx, issue.repository_id, closes ? -1 : 1)
    await countInMilestone(trx, issue.milestone_id, issue.state, -1, now)
    await countInMilestone(trx, issue.milestone_id, state, 1, now)
  }

  return {
    /** Call before the first request. */
    setReopenRule(rule: ReopenRule): void {
      demandReopenable = rule
    },

    /** Call within a write that holds the lock on the repository's issues. False if the issue is closed already. */
    async closeWithin(trx: Db, act: IssueAct, issueId: number, { reason, ...cause }: Closing = {}) {
      const issue = await getIssueRow(trx, issueId)
      if (issue.state === 'closed') return false
      // A closed pull has no reason.
      const stateReason = issue.is_pull === 1 ? null : (reason ?? 'completed')
      await move(trx, act, issue, stateReason)
      await recordEvent(trx, placeOf(act, issueId), 'closed', { stateReason }, cause)
      await activity.record(trx, { kind: 'issue-closed', ...subjectOf(act, issueId) })
      return true
    },

    /** Call within a write that holds the lock on the repository's issues. False if the issue is open already. */
    async reopenWithin(trx: Db, act: IssueAct, issueId: number) {
      const issue = await getIssueRow(trx, issueId)
      if (issue.state === 'open') return false
      if (issue.is_pull === 1) await demandReopenable(trx, issueId)
      const stateReason = issue.is_pull === 1 ? null : ('reopened' as const)
      await move(trx, act, issue, stateReason)
      await recordEvent(trx, placeOf(act, issueId), 'reopened', { stateReason })
      await activity.record(trx, { kind: 'issue-reopened', ...subjectOf(act, issueId) })
      return true
    },
  }
}

/** The actor, repository and subject: the members that every activity of an issue has. */
export const subjectOf = ({ actorId, repository }: IssueAct, issueId: number) => ({
  actorId,
  repositoryId: repository.id,
  subjectId: issueId,
})

/** Open pulls count among the open issues, as clients expect. */
export async function countOpen(trx: Db, repositoryId: number, by: 1 | -1): Promise<void> {
  await trx
    .updateTable('repository')
    .set((eb) => ({ open_issue_count: eb('open_issue_count', '+', by) }))
    .where('id', '=', repositoryId)
    .execute()
}
