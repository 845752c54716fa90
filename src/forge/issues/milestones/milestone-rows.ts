/** Milestones as they are stored, and the counts of their issues, which change with each of these. */
import type { Selectable } from 'kysely'
import type { MilestoneTable } from '../../../store/schema/issues.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { notFound } from '../../failures.ts'
import { readPeople } from '../../people/reading.ts'
import type { Person } from '../../person.ts'
import type { Issue, Milestone } from '../issue.ts'

export type MilestoneRow = Selectable<MilestoneTable>

export const toMilestone = (row: MilestoneRow, creator: Person): Milestone => ({
  id: row.id,
  number: row.number,
  state: row.state,
  title: row.title,
  description: row.description,
  creator,
  openIssueCount: row.open_issue_count,
  closedIssueCount: row.closed_issue_count,
  dueOn: row.due_on === null ? null : new Date(row.due_on),
  closedAt: row.closed_at === null ? null : new Date(row.closed_at),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

/** With who made it; undefined for one that is gone. */
export async function readMilestone(db: Db, id: number): Promise<Milestone | undefined> {
  const row = await db.selectFrom('milestone').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toMilestone(row, (await readPeople(db, [row.creator_id])).get(row.creator_id)!)
}

export async function findMilestone(db: Db, repositoryId: number, number: number): Promise<MilestoneRow> {
  const row = await db
    .selectFrom('milestone')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .where('number', '=', number)
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** One issue of this state more, or less. */
export async function countInMilestone(
  trx: Db,
  milestoneId: number | null,
  state: Issue['state'],
  by: 1 | -1,
  now: number,
): Promise<void> {
  if (milestoneId === null) return
  const column = state === 'open' ? 'open_issue_count' : 'closed_issue_count'
  await trx
    .updateTable('milestone')
    .set((eb) => ({ [column]: eb(column, '+', by), updated_at: now }))
    .where('id', '=', milestoneId)
    .execute()
}
