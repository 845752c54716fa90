/** Records of issues, and the members that issues and pulls share. */
import type { Selectable } from 'kysely'
import type { IssueTable } from '../../../store/schema/issue-tables.ts'
import { formatTime, formatTimeOrNull } from './addresses.ts'
import type { ExportContext, ExportedRepository } from './export-context.ts'
import { groupBy, pageSize, readPages } from './keyed-pages.ts'
import { readReactions } from './reaction-records.ts'
import { readRelations, readUsers } from './relation-records.ts'

export type IssueRow = Selectable<IssueTable>

/** Issues, or pulls, ordered by number. Deleted ones are not exported. */
export const readIssuePages = ({ db }: ExportContext, repository: ExportedRepository, isPull: 0 | 1) =>
  readPages(
    (after: number) =>
      db
        .selectFrom('issue')
        .selectAll()
        .where('repository_id', '=', repository.id)
        .where('is_pull', '=', isPull)
        .where('deleted_at', 'is', null)
        .where('number', '>', after)
        .orderBy('number')
        .limit(pageSize)
        .execute(),
    ({ number }) => number,
  )

export async function writeIssues(context: ExportContext, repository: ExportedRepository): Promise<void> {
  for await (const rows of readIssuePages(context, repository, 0)) {
    const members = await readMembers(context, repository, rows)
    for (const row of rows) {
      const url = context.addresses.issue(repository, row.number, false)
      context.mentions.note(row.body, { member: 'issue', address: url })
      await context.files.add({
        type: 'issue',
        url,
        repository: context.addresses.repository(repository),
        ...members(row),
      })
    }
  }
}

export type IssueMembers = (row: IssueRow) => Readonly<Record<string, unknown>>

/** For a page of issues or pulls: one query for each kind of data, not for each issue. */
export async function readMembers(
  context: ExportContext,
  repository: ExportedRepository,
  rows: readonly IssueRow[],
): Promise<IssueMembers> {
  const { people } = context
  const ids = rows.map(({ id }) => id)
  const [labels, assignees, milestones, duplicates] = [
    await readLabels(context, repository, ids),
    await readUsers(context, 'issue_assignee', ids),
    await readMilestoneNumbers(context, repository, rows),
    await readDuplicates(context, repository, rows),
  ]
  const reactions = await readReactions(context, 'issue', ids)
  const relations = await readRelations(context, ids)
  await people.look(rows.flatMap(({ author_id, closed_by_id }) => [author_id, closed_by_id]))
  return (row) => {
    const assigned = assignees(row.id)
    return {
      user: people.address(row.author_id),
      title: row.title,
      body: row.body,
      assignee: assigned[0] ?? null,
      assignees: assigned,
      milestone: milestones(row.milestone_id),
      labels: labels(row.id),
      reactions: reactions(row.id),
      state: row.state,
      state_reason: row.state_reason,
      locked: row.is_locked === 1,
      lock_reason: row.lock_reason,
      pinned_at: formatTimeOrNull(row.pinned_at),
      duplicate_of: duplicates(row.duplicate_of_id),
      closed_by: people.addressOrNull(row.closed_by_id),
      ...relations(row.id),
      closed_at: formatTimeOrNull(row.closed_at),
      created_at: formatTime(row.created_at),
      updated_at: formatTime(row.updated_at),
    }
  }
}

async function readLabels({ db, addresses }: ExportContext, repository: ExportedRepository, ids: readonly number[]) {
  const rows = await db
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .select(['issue_id', 'name'])
    .where('issue_id', 'in', ids)
    .orderBy('label.id')
    .execute()
  const ofIssue = groupBy(rows, ({ issue_id }) => issue_id)
  return (id: number) => ofIssue(id).map(({ name }) => addresses.label(repository, name))
}

async function readMilestoneNumbers(
  { db, addresses }: ExportContext,
  repository: ExportedRepository,
  issues: readonly IssueRow[],
) {
  const ids = [...new Set(issues.flatMap(({ milestone_id }) => milestone_id ?? []))]
  const rows = ids.length
    ? await db.selectFrom('milestone').select(['id', 'number']).where('id', 'in', ids).execute()
    : []
  const numbers = new Map(rows.map(({ id, number }) => [id, number]))
  return (id: number | null) => {
    const number = id === null ? undefined : numbers.get(id)
    return number === undefined ? null : addresses.milestone(repository, number)
  }
}

/** Only originals in the same repository: another repository may be in no archive. */
async function readDuplicates(
  { db, addresses }: ExportContext,
  repository: ExportedRepository,
  issues: readonly IssueRow[],
) {
  const ids = [...new Set(issues.flatMap(({ duplicate_of_id }) => duplicate_of_id ?? []))]
  const rows = ids.length
    ? await db
        .selectFrom('issue')
        .select(['id', 'number', 'is_pull'])
        .where('id', 'in', ids)
        .where('repository_id', '=', repository.id)
        .where('deleted_at', 'is', null)
        .execute()
    : []
  const found = new Map(rows.map((row) => [row.id, addresses.issue(repository, row.number, row.is_pull === 1)]))
  return (id: number | null) => (id === null ? null : (found.get(id) ?? null))
}
