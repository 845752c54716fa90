/** The rows of milestones, and the counts of their issues. */
import { readLongTexts, shortText } from '../../../store/long-texts.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { notFound } from '../../failures.ts'
import { toPerson } from '../../person.ts'
import type { Issue, Milestone } from '../issue.ts'

export type MilestoneRow = Awaited<ReturnType<ReturnType<typeof selectMilestones>['executeTakeFirstOrThrow']>>

export const toMilestone = (row: MilestoneRow): Milestone => ({
  id: row.id,
  number: row.number,
  state: row.state,
  title: row.title,
  description: row.description,
  creator: toPerson({ id: row.creator_id, kind: row.creator_kind, name: row.creator_name, role: row.creator_role }),
  openIssueCount: row.open_issue_count,
  closedIssueCount: row.closed_issue_count,
  dueOn: row.due_on === null ? null : new Date(row.due_on),
  closedAt: row.closed_at === null ? null : new Date(row.closed_at),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

/** With their creator, but without long descriptions, which `readLongTexts` adds. */
export const selectMilestones = (db: Db) =>
  db
    .selectFrom('milestone')
    .innerJoin('account as creator', 'creator.id', 'milestone.creator_id')
    .select(['milestone.id', 'milestone.repository_id', 'milestone.number', 'milestone.state', 'milestone.title'])
    .select(['milestone.title_key', 'milestone.creator_id', 'milestone.open_issue_count'])
    .select(['milestone.closed_issue_count', 'milestone.due_on', 'milestone.closed_at', 'milestone.created_at'])
    .select(['milestone.updated_at', 'creator.kind as creator_kind', 'creator.name as creator_name'])
    .select('creator.role as creator_role')
    .select(shortText<string | null, 'description'>('milestone', 'description'))

/** In the order of the rows. */
export async function completeMilestones(db: Db, rows: readonly MilestoneRow[]): Promise<Milestone[]> {
  await readLongTexts(db, 'milestone', rows, 'description')
  return rows.map(toMilestone)
}

/** Undefined if it no longer exists. */
export async function readMilestone(db: Db, id: number): Promise<Milestone | undefined> {
  const rows = await selectMilestones(db).where('milestone.id', '=', id).execute()
  const [milestone] = await completeMilestones(db, rows)
  return milestone
}

/** With its description, however long. */
export async function findMilestone(db: Db, repositoryId: number, number: number): Promise<MilestoneRow> {
  const row = await selectMilestones(db)
    .where('milestone.repository_id', '=', repositoryId)
    .where('milestone.number', '=', number)
    .executeTakeFirst()
  if (!row) throw notFound()
  await readLongTexts(db, 'milestone', [row], 'description')
  return row
}

/** Counts one issue of this state more or less. */
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
