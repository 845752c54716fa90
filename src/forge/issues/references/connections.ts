/** Connections: a pull that is connected with an issue closes it when it is merged. */
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import { invalidField, notFound } from '../../failures.ts'
import { recordEvent } from '../event-recording.ts'
import { actOf, placeOf, withIssueLocks } from '../issue-act.ts'
import { demandMayChange } from '../issue-rights.ts'
import { findIssue, type IssueCore } from '../issue-row.ts'

/** The most pulls connected with one issue. */
const maxConnections = 100

export type Connections = ReturnType<typeof makeConnections>

export function makeConnections({ store, clock }: { store: Store; clock: Clock }) {
  async function findPair(
    trx: Db,
    access: Access<'triage'>,
    issueNumber: number,
    pullNumber: number,
  ): Promise<{ issue: IssueCore; pull: IssueCore }> {
    const issue = await findIssue(trx, access.repository.id, issueNumber)
    const pull = await findIssue(trx, access.repository.id, pullNumber)
    demandMayChange(access, issue, 'triage')
    if (issue.is_pull === 1 || pull.is_pull === 0)
      throw invalidField('pull', 'invalid', 'An issue is connected with a pull request.')
    return { issue, pull }
  }

  async function record(
    trx: Db,
    access: Access<'triage'>,
    ids: readonly number[],
    event: 'connected' | 'disconnected',
  ) {
    const act = actOf(access, clock.now())
    for (const id of ids) await recordEvent(trx, placeOf(act, id), event, {})
  }

  return {
    connect: (access: Access<'triage'>, issueNumber: number, pullNumber: number): Promise<void> =>
      store.write(async (trx) => {
        const { issue, pull } = await findPair(trx, access, issueNumber, pullNumber)
        const known = await trx
          .selectFrom('issue_connection')
          .select('pull_id')
          .where('issue_id', '=', issue.id)
          .execute()
        if (known.some(({ pull_id }) => pull_id === pull.id)) return
        if (known.length >= maxConnections)
          throw invalidField('pull', 'invalid', `An issue is connected with ${maxConnections} pull requests at most.`)
        const row = { issue_id: issue.id, pull_id: pull.id, created_at: clock.now() }
        await trx.insertInto('issue_connection').values(row).execute()
        await record(trx, access, [issue.id, pull.id], 'connected')
      }, withIssueLocks(access.repository.id)),

    disconnect: (access: Access<'triage'>, issueNumber: number, pullNumber: number): Promise<void> =>
      store.write(async (trx) => {
        const { issue, pull } = await findPair(trx, access, issueNumber, pullNumber)
        const gone = await trx
          .deleteFrom('issue_connection')
          .where('issue_id', '=', issue.id)
          .where('pull_id', '=', pull.id)
          .returning('pull_id')
          .executeTakeFirst()
        if (!gone) throw notFound()
        await record(trx, access, [issue.id, pull.id], 'disconnected')
      }, withIssueLocks(access.repository.id)),
  }
}
