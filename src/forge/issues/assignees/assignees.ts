/** Assignees: lists the users who can be assigned, and changes those of an issue. */
import type { Clock } from '../../../lib/clock.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { Person } from '../../person.ts'
import type { Issue } from '../issue.ts'
import { actOf, withIssueLocks } from '../issue-act.ts'
import type { IssueReading } from '../issue-reading.ts'
import { demandMayChange } from '../issue-rights.ts'
import { findIssue } from '../issue-row.ts'
import { listAssignable } from './assignable.ts'
import type { AssigneeChange, AssigneeChanges } from './issue-assignees.ts'

type Needs = { store: Store; clock: Clock; reading: IssueReading; changes: AssigneeChanges }

export type Assignees = ReturnType<typeof makeAssignees>

export function makeAssignees({ store, clock, reading, changes }: Needs) {
  return {
    /** `words`: a part of the login or the name. */
    async listAssignable(
      repository: Repository,
      { offset, limit }: PageRequest,
      words?: string,
    ): Promise<Page<Person>> {
      const found = await listAssignable(store.db, repository, { words })
      return { total: found.length, items: found.slice(offset, offset + limit) }
    },

    isAssignable: async (repository: Repository, login: string): Promise<boolean> =>
      (await listAssignable(store.db, repository, { logins: [login] })).length > 0,

    async change(access: Access<'triage'>, number: number, change: AssigneeChange): Promise<Issue> {
      return store.write(async (trx) => {
        const row = await findIssue(trx, access.repository.id, number)
        demandMayChange(access, row, 'triage')
        await changes.changeWithin(trx, actOf(access, clock.now()), row.id, change)
        const issue = await reading.readById(row.id, trx)
        if (!issue) throw notFound()
        return issue
      }, withIssueLocks(access.repository.id))
    },
  }
}
