/** Locks the conversation of an issue, and pins issues to the top of the list. */
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { invalidField } from '../failures.ts'
import { countRows } from '../row-pages.ts'
import { recordEvent } from './event-recording.ts'
import { actOf, type IssueAct, placeOf, withIssueLocks } from './issue-act.ts'
import { demandMayChange } from './issue-rights.ts'
import { findIssue, type IssueCore } from './issue-row.ts'
import { subjectOf } from './issue-state.ts'

export const lockReasons = ['off-topic', 'too heated', 'resolved', 'spam'] as const
export type LockReason = (typeof lockReasons)[number]

/** The most of one repository. */
export const maxPinned = 3

export type IssueMarks = ReturnType<typeof makeIssueMarks>

type Mark = 'locked' | 'unlocked' | 'pinned' | 'unpinned'

export function makeIssueMarks({ store, clock, activity }: { store: Store; clock: Clock; activity: ActivityRecord }) {
  const tell = (trx: Db, act: IssueAct, issueId: number, action: Mark) =>
    activity.record(trx, { kind: 'issue-changed', ...subjectOf(act, issueId), data: { action } })

  const change = (
    access: Access<'write'>,
    number: number,
    act: (trx: Db, issue: IssueCore, by: IssueAct) => Promise<void>,
  ): Promise<void> =>
    store.write(async (trx) => {
      const issue = await findIssue(trx, access.repository.id, number)
      demandMayChange(access, issue, 'write')
      await act(trx, issue, actOf(access, clock.now()))
    }, withIssueLocks(access.repository.id))

  return {
    /** From now on only users with write rights may comment. Locking again for the same reason does nothing. */
    lock: (access: Access<'write'>, number: number, reason: LockReason | null): Promise<void> =>
      change(access, number, async (trx, issue, act) => {
        if (issue.is_locked === 1 && issue.lock_reason === reason) return
        await setLock(trx, issue.id, true, reason, act.now)
        await recordEvent(trx, placeOf(act, issue.id), 'locked', { lockReason: reason })
        await tell(trx, act, issue.id, 'locked')
      }),

    unlock: (access: Access<'write'>, number: number): Promise<void> =>
      change(access, number, async (trx, issue, act) => {
        if (issue.is_locked === 0) return
        await setLock(trx, issue.id, false, null, act.now)
        await recordEvent(trx, placeOf(act, issue.id), 'unlocked', { lockReason: null })
        await tell(trx, act, issue.id, 'unlocked')
      }),

    pin: (access: Access<'write'>, number: number): Promise<void> =>
      change(access, number, async (trx, issue, act) => {
        if (issue.is_pull === 1) throw invalidField('issue', 'invalid', 'Pull requests can’t be pinned.')
        if (issue.pinned_at !== null) return
        const pinned = trx
          .selectFrom('issue')
          .where('repository_id', '=', act.repository.id)
          .where('pinned_at', 'is not', null)
        if ((await countRows(pinned)) >= maxPinned)
          throw invalidField('issue', 'unprocessable', `${maxPinned} issues are pinned, and no more can be.`)
        await setPinned(trx, issue.id, act.now, act.now)
        await recordEvent(trx, placeOf(act, issue.id), 'pinned', {})
        await tell(trx, act, issue.id, 'pinned')
      }),

    unpin: (access: Access<'write'>, number: number): Promise<void> =>
      change(access, number, async (trx, issue, act) => {
        if (issue.pinned_at === null) return
        await setPinned(trx, issue.id, null, act.now)
        await recordEvent(trx, placeOf(act, issue.id), 'unpinned', {})
        await tell(trx, act, issue.id, 'unpinned')
      }),
  }
}

async function setLock(trx: Db, id: number, isLocked: boolean, reason: LockReason | null, now: number): Promise<void> {
  await trx
    .updateTable('issue')
    .set({ is_locked: isLocked ? 1 : 0, lock_reason: reason, updated_at: now })
    .where('id', '=', id)
    .execute()
}

async function setPinned(trx: Db, id: number, pinnedAt: number | null, now: number): Promise<void> {
  await trx.updateTable('issue').set({ pinned_at: pinnedAt, updated_at: now }).where('id', '=', id).execute()
}
