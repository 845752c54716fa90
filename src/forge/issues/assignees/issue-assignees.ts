/** The assignees of an issue: each change has an event and activity, and nothing else has. */
import type { Db } from '../../../store/schema/schema.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { invalidField } from '../../failures.ts'
import type { Person } from '../../person.ts'
import { recordEvent } from '../event-recording.ts'
import { type IssueAct, placeOf } from '../issue-act.ts'
import { touchIssue } from '../issue-row.ts'
import { subjectOf } from '../issue-state.ts'
import { listAssignable } from './assignable.ts'

/** The most of one issue. */
export const maxAssignees = 10
/** The most names looked up for one act. */
export const maxAssigneeNames = 100

/**
 * `add` adds these, `remove` removes these, `set` also removes all others; `open` adds while the issue is opened, whose
 * own activity names them. Users who cannot be assigned are ignored.
 */
export type AssigneeChange = { readonly mode: 'add' | 'remove' | 'set' | 'open'; readonly logins: readonly string[] }

export type AssigneeChanges = ReturnType<typeof makeAssigneeChanges>

export function makeAssigneeChanges({ activity }: { activity: ActivityRecord }) {
  async function assign(trx: Db, act: IssueAct, issueId: number, user: Person, isNotified: boolean): Promise<void> {
    const values = { issue_id: issueId, user_id: user.id, created_at: act.now }
    await trx.insertInto('issue_assignee').values(values).execute()
    const data = { assigneeId: user.id, assignerId: act.actorId }
    await recordEvent(trx, placeOf(act, issueId), 'assigned', data)
    if (isNotified) return
    await activity.record(trx, {
      kind: 'issue-assigned',
      ...subjectOf(act, issueId),
      data: { assigneeId: user.id },
    })
  }

  async function unassign(trx: Db, act: IssueAct, issueId: number, userId: number): Promise<void> {
    await trx.deleteFrom('issue_assignee').where('issue_id', '=', issueId).where('user_id', '=', userId).execute()
    const data = { assigneeId: userId, assignerId: act.actorId }
    await recordEvent(trx, placeOf(act, issueId), 'unassigned', data)
    await activity.record(trx, { kind: 'issue-unassigned', ...subjectOf(act, issueId), data: { assigneeId: userId } })
  }

  return {
    /** Call within a write that holds the lock on the repository's issues. Answers whether anything changed. */
    async changeWithin(trx: Db, act: IssueAct, issueId: number, { mode, logins }: AssigneeChange): Promise<boolean> {
      const present = await trx
        .selectFrom('issue_assignee')
        .innerJoin('account', 'account.id', 'issue_assignee.user_id')
        .select(['account.id', 'account.name_key'])
        .where('issue_id', '=', issueId)
        .orderBy('issue_assignee.created_at')
        .orderBy('account.id')
        .execute()
      const keys = new Set(logins.map((login) => login.toLowerCase()))
      const wanted = mode === 'remove' ? [] : await listAssignable(trx, act.repository, { logins: [...keys] })
      const added = wanted.filter(({ id }) => !present.some((one) => one.id === id))
      const removed = present.filter(({ name_key }) => {
        if (mode === 'add') return false
        return mode === 'remove' ? keys.has(name_key) : !keys.has(name_key)
      })
      if (present.length - removed.length + added.length > maxAssignees)
        throw invalidField('assignees', 'invalid', `An issue can have at most ${maxAssignees} assignees.`)
      for (const { id } of removed) await unassign(trx, act, issueId, id)
      for (const user of added) await assign(trx, act, issueId, user, mode === 'open')
      const isChanged = added.length + removed.length > 0
      if (isChanged) await touchIssue(trx, issueId, act.now)
      return isChanged
    },
  }
}

export async function listAssigneeIds(trx: Db, issueId: number): Promise<number[]> {
  const rows = await trx.selectFrom('issue_assignee').select('user_id').where('issue_id', '=', issueId).execute()
  return rows.map(({ user_id }) => user_id)
}
