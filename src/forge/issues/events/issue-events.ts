/** Reads issue events: of a repository newest first, of an issue oldest first, or one alone. */
import type { Actor } from '../../../accounts/actor.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import { makeCountedList } from '../../../store/counted-list.ts'
import type { Store } from '../../../store/store.ts'
import type { OpenRepository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import { countRows } from '../../row-pages.ts'
import type { Issue } from '../issue.ts'
import type { IssueReading } from '../issue-reading.ts'
import { demandIssuesOn } from '../issue-rights.ts'
import { findIssue, issueGone } from '../issue-row.ts'
import { completeEvents, type EventRow, type IssueEvent } from './issue-event.ts'

export type EventOfIssue = { readonly event: IssueEvent; readonly issue: Issue }

export type IssueEvents = ReturnType<typeof makeIssueEvents>

export function makeIssueEvents({ store, reading }: { store: Store; reading: IssueReading }) {
  const { db } = store
  const counted = makeCountedList(store, 'issue-event')

  async function withIssues(actor: Actor, rows: readonly EventRow[]): Promise<EventOfIssue[]> {
    const issues = await reading.readByIds(rows.map(({ issue_id }) => issue_id))
    const events = await completeEvents(db, actor, rows)
    return events.flatMap((event) => {
      const issue = issues.get(event.issueId)
      return issue ? [{ event, issue }] : []
    })
  }

  return {
    /** Finds a page by counts of blocks of rows, so that the last page costs no more than the first. */
    async listOfRepository(
      actor: Actor,
      repository: OpenRepository,
      { offset, limit }: PageRequest,
    ): Promise<Page<EventOfIssue>> {
      const { total, place } = await counted.locate(repository.id, offset)
      if (!place) return { total, items: [] }
      const rows = await db
        .selectFrom('issue_event')
        .selectAll()
        .where('repository_id', '=', repository.id)
        .where('is_hidden', '=', 0)
        .where('id', '<=', place.highestId)
        .orderBy('id', 'desc')
        .offset(place.skip)
        .limit(limit)
        .execute()
      return { total, items: await withIssues(actor, rows) }
    },

    /** The contract allows tokens that may read either issues or pulls, whichever kind it is. */
    async listOfIssue(
      actor: Actor,
      repository: OpenRepository,
      number: number,
      { offset, limit }: PageRequest,
    ): Promise<Page<IssueEvent>> {
      const issue = await findIssue(db, repository.id, number)
      if (issue.is_pull === 0) demandIssuesOn(repository)
      const query = db.selectFrom('issue_event').where('issue_id', '=', issue.id)
      const rows = await query.selectAll().orderBy('id').offset(offset).limit(limit).execute()
      return { total: await countRows(query), items: await completeEvents(db, actor, rows) }
    },

    async get(actor: Actor, repository: OpenRepository, id: number): Promise<EventOfIssue> {
      const row = await db
        .selectFrom('issue_event')
        .selectAll()
        .where('id', '=', id)
        .where('repository_id', '=', repository.id)
        .executeTakeFirst()
      if (!row) throw notFound()
      const [found] = await withIssues(actor, [row])
      if (row.is_hidden === 1 || !found) throw issueGone()
      return found
    },
  }
}
