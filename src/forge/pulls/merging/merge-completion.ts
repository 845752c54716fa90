/** Settles a merge in the transaction of its push: a pull is merged exactly if its commits are in the base. */
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import type { Pushes } from '../../git/push/pushes.ts'
import { recordEvent } from '../../issues/event-recording.ts'
import { type IssueAct, placeOf, withIssueLocks } from '../../issues/issue-act.ts'
import { getIssueRow } from '../../issues/issue-row.ts'
import { type IssueStates, subjectOf } from '../../issues/issue-state.ts'
import { releaseForkUsageWithin } from '../following/fork-commit-usage.ts'
import { readPullRow } from '../pull-row.ts'

export type MergeFacts = {
  readonly issueId: number
  readonly mergeSha: string
  readonly headSha: string
  readonly baseSha: string
  readonly forkSha: string
}

type MergedPull = { readonly issueId: number; readonly body: string | null; readonly commitSha: string }

/** Follows a merge into the default branch, in its transaction: closes the issues that the pull names. */
export type AfterMerge = (trx: Db, act: IssueAct, merged: MergedPull) => Promise<void>

type Needs = {
  store: Store
  clock: Clock
  activity: ActivityRecord
  pushes: Pushes
  states: IssueStates
  afterMerge: AfterMerge
}

export type MergeCompletion = ReturnType<typeof makeMergeCompletion>

export function makeMergeCompletion({ store, clock, activity, pushes, states, afterMerge }: Needs) {
  /** Within a write that holds the repository's issues lock. */
  async function markMerged(trx: Db, act: IssueAct, facts: MergeFacts): Promise<void> {
    const { issueId, mergeSha } = facts
    const row = await readPullRow(trx, issueId)
    if (!row || row.merged_at !== null) return
    await trx
      .updateTable('pull')
      .set({
        merged_at: act.now,
        merged_by_id: act.actorId,
        merge_sha: mergeSha,
        head_sha: facts.headSha,
        base_sha: facts.baseSha,
        fork_sha: facts.forkSha,
      })
      .where('issue_id', '=', issueId)
      .execute()
    await releaseForkUsageWithin(trx, issueId)
    await recordEvent(trx, placeOf(act, issueId), 'merged', {}, { commitSha: mergeSha })
    await activity.record(trx, { kind: 'pull-merged', ...subjectOf(act, issueId) })
    await states.closeWithin(trx, act, issueId, { commitSha: mergeSha })
    if (row.base_ref !== act.repository.defaultBranch) return
    const { body } = await getIssueRow(trx, issueId)
    await afterMerge(trx, act, { issueId, body, commitSha: mergeSha })
  }

  const findMerge = (db: Db, pushId: number) =>
    db
      .selectFrom('pull_merge')
      .innerJoin('issue', 'issue.id', 'pull_merge.issue_id')
      .selectAll('pull_merge')
      .where('push_id', '=', pushId)
      .where('issue.deleted_at', 'is', null)
      .executeTakeFirst()

  pushes.consume({
    listLocks: async ({ id, repository }) =>
      (await findMerge(store.db, id)) ? withIssueLocks(repository.id).locks : [],
    async process(trx, { id, repository, pusher, credential, changes }) {
      const merge = await findMerge(trx, id)
      if (!merge || !changes.some(({ after }) => after === merge.merge_sha)) return
      const act = {
        repository: { ...repository, level: 'write' as const, isBlocking: false },
        actorId: pusher,
        pushedBy: credential,
        appId: null,
        now: clock.now(),
      }
      const { issue_id, merge_sha, head_sha, base_sha, fork_sha } = merge
      await markMerged(trx, act, {
        issueId: issue_id,
        mergeSha: merge_sha,
        headSha: head_sha,
        baseSha: base_sha,
        forkSha: fork_sha,
      })
      await trx.deleteFrom('pull_merge').where('push_id', '=', id).execute()
    },
  })

  return { markMerged }
}
