/** The milestone of an issue: a change records an event for the milestone it leaves and one for the new one. */
import type { Db } from '../../../store/schema/schema.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { invalidField } from '../../failures.ts'
import { recordEvent } from '../event-recording.ts'
import { type IssueAct, placeOf } from '../issue-act.ts'
import { getIssueRow } from '../issue-row.ts'
import { subjectOf } from '../issue-state.ts'
import { countInMilestone, readMilestone } from './milestone-rows.ts'

/** Call within a write that holds the lock on the repository's issues. `number`: the milestone's, null for none. */
export async function setMilestoneWithin(
  trx: Db,
  activity: ActivityRecord,
  act: IssueAct,
  issueId: number,
  number: number | null,
): Promise<boolean> {
  const issue = await getIssueRow(trx, issueId)
  const next = number === null ? undefined : await findNamed(trx, act.repository.id, number)
  const former = issue.milestone_id
  if (former === (next?.id ?? null)) return false
  await trx
    .updateTable('issue')
    .set({ milestone_id: next?.id ?? null, updated_at: act.now })
    .where('id', '=', issueId)
    .execute()
  const place = placeOf(act, issueId)
  const tell = async (action: 'milestoned' | 'demilestoned', id: number) => {
    const milestone = await readMilestone(trx, id)
    if (!milestone) return
    const data = { action, gone: { milestone } }
    await activity.record(trx, { kind: 'issue-changed', ...subjectOf(act, issueId), data })
  }
  if (former !== null) {
    await countInMilestone(trx, former, issue.state, -1, act.now)
    const row = await trx.selectFrom('milestone').select('title').where('id', '=', former).executeTakeFirst()
    await recordEvent(trx, place, 'demilestoned', { milestone: { title: row?.title ?? '' } })
    await tell('demilestoned', former)
  }
  if (next) {
    await countInMilestone(trx, next.id, issue.state, 1, act.now)
    await recordEvent(trx, place, 'milestoned', { milestone: { title: next.title } })
    await tell('milestoned', next.id)
  }
  return true
}

async function findNamed(trx: Db, repositoryId: number, number: number) {
  const row = await trx
    .selectFrom('milestone')
    .select(['id', 'title'])
    .where('repository_id', '=', repositoryId)
    .where('number', '=', number)
    .executeTakeFirst()
  if (!row) throw invalidField('milestone', 'invalid', 'The repository has no milestone of this number.')
  return row
}
