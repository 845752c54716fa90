/** Pulls whose fork is deleted: they are closed by it, in its own act, and stay readable in the base's repository. */
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { aloneOnIssues } from '../issues/act.ts'
import type { IssueStates } from '../issues/issue-state.ts'
import type { BeforeDeletion } from '../repositories/repositories.ts'
import type { PullEnds } from './pull-ends.ts'

type Needs = { store: Store; clock: Clock; ends: PullEnds; states: IssueStates }

/** Of one fork; more would keep the write too long, and stay open to be closed by hand. */
const maxClosed = 1_000

export function makeOrphanedPulls({ store, clock, ends, states }: Needs): BeforeDeletion {
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
      .limit(maxClosed)

  return {
    async alone(repositoryId) {
      const rows = await selectOpen(store.db, repositoryId).execute()
      return aloneOnIssues(...rows.map(({ repository_id }) => repository_id)).alone
    },

    /** What is archived or held by a migration stays as it is. */
    async within(trx, actorId, repositoryId) {
      for (const row of await selectOpen(trx, repositoryId).execute()) {
        const repository = await ends.findRepository(row.repository_id, trx)
        if (!repository || repository.isArchived || repository.isLocked) continue
        const act = { repository, actorId, appId: null, now: clock.now() }
        await states.closeWithin(trx, act, row.issue_id)
      }
    },
  }
}
