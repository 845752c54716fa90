/** Deleting a fork closes its pulls in the same transaction. They stay readable in the base's repository. */

import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { withIssueLocks } from '../../issues/issue-act.ts'
import type { IssueStates } from '../../issues/issue-state.ts'
import type { BeforeDeletion } from '../../repositories/repositories.ts'
import type { PullEnds } from '../pull-ends.ts'
import { getPullRows, readPullRow } from '../pull-row.ts'
import { unlessGone } from './pull-following.ts'

type Needs = { store: Store; clock: Clock; jobs: Jobs; ends: PullEnds; states: IssueStates }

/** Pulls of a fork that the deletion itself closes; with more, its write would take too long, so jobs close those. */
const maxClosed = 200
const portion = 500
const closeKind = 'forge.pulls-orphaned'

export function makeOrphanedPulls({ store, clock, jobs, ends, states }: Needs): BeforeDeletion {
  const selectOpen = (on: Db, headRepositoryId: number) =>
    on
      .selectFrom('pull')
      .innerJoin('issue', 'issue.id', 'pull.issue_id')
      .select(['pull.issue_id', 'pull.repository_id'])
      .where('pull.head_repository_id', '=', headRepositoryId)
      .where('pull.repository_id', '!=', headRepositoryId)
      .where('issue.state', '=', 'open')
      .where('issue.deleted_at', 'is', null)
      .orderBy('pull.issue_id')

  /** Pulls stay open if the base is archived or locked by a migration, or its owner has blocked their author. */
  async function close(trx: Db, actorId: number, issueId: number, repositoryId: number): Promise<void> {
    const repository = await ends.findRepository(repositoryId, trx)
    if (!repository || repository.isArchived || repository.isLocked) return
    if (await ends.isFrozen(await getPullRows(trx, issueId), trx)) return
    await states.closeWithin(trx, { repository, actorId, appId: null, now: clock.now() }, issueId)
  }

  jobs.define<{ actorId: number; issueIds: number[] }>(closeKind, async ({ actorId, issueIds }, { signal }) => {
    for (const issueId of issueIds) {
      signal.throwIfAborted()
      const row = await readPullRow(store.db, issueId)
      if (!row) continue
      const act = (trx: Db) => close(trx, actorId, issueId, row.repository_id)
      await store.write(act, withIssueLocks(row.repository_id)).catch(unlessGone)
    }
  })

  return {
    async listLocks(repositoryId) {
      const rows = await selectOpen(store.db, repositoryId).limit(maxClosed).execute()
      return withIssueLocks(...rows.map(({ repository_id }) => repository_id)).locks
    },

    async within(trx, actorId, repositoryId) {
      const rows = await selectOpen(trx, repositoryId).execute()
      for (const row of rows.slice(0, maxClosed)) await close(trx, actorId, row.issue_id, row.repository_id)
      // Their rows no longer name the fork, so the jobs get the ids.
      for (let at = maxClosed; at < rows.length; at += portion) {
        const issueIds = rows.slice(at, at + portion).map(({ issue_id }) => issue_id)
        await jobs.enqueue(trx, closeKind, { actorId, issueIds })
      }
    },
  }
}
