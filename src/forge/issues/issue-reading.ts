/** Reads issues: each with its labels, people, milestone and reactions in one query; long texts after it. */
import { sql } from 'kysely'
import type { Page, PageRequest } from '../../lib/page.ts'
import { type JsonRows, jsonRows, readJson } from '../../store/json-rows.ts'
import { readLongTexts, shortText } from '../../store/long-texts.ts'
import { prepareFor } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { appBy, readApp } from '../apps/app.ts'
import { personBy, readPerson } from '../people/reading.ts'
import { toPerson } from '../person.ts'
import { countedBy, countRows, mayHaveMissed } from '../row-pages.ts'
import type { Association, Issue, PullFacts, ReactionContent, ReactionCounts } from './issue.ts'
import { toLabel } from './labels/label-rows.ts'
import { type MilestoneRow, selectMilestones, toMilestone } from './milestones/milestone-rows.ts'

/** Issues that are not deleted, with their authors' association to the repository. */
export const selectIssues = (db: Db) =>
  db
    .selectFrom('issue')
    .innerJoin('repository', 'repository.id', 'issue.repository_id')
    .select([
      ...(['issue.id', 'issue.repository_id', 'issue.number', 'issue.is_pull', 'issue.state'] as const),
      ...(['issue.state_reason', 'issue.title', 'issue.author_id', 'issue.milestone_id', 'issue.is_locked'] as const),
      ...(['issue.lock_reason', 'issue.pinned_at', 'issue.duplicate_of_id', 'issue.comment_count'] as const),
      ...(['issue.app_id', 'issue.closed_by_id', 'issue.closed_at', 'issue.created_at', 'issue.updated_at'] as const),
      ...(['issue.deleted_at'] as const),
    ])
    .select(shortText<string | null, 'body'>('issue', 'body'))
    .select('repository.owner_id as owner_id')
    .select(isCollaborator('issue.author_id').as('is_collaborator'))
    .select(isMember('issue.author_id').as('is_member'))
    .select(hasContributed('issue.author_id').as('has_contributed'))
    .select(personBy(db, 'issue.author_id').as('author'))
    .select(personBy(db, 'issue.closed_by_id').as('closed_by'))
    .select(appBy(db, 'issue.app_id').as('app'))
    .select(reactionsTo(db, 'issue', 'issue.id').as('reactions'))
    .select([labelsOf(db).as('labels'), assigneesOf(db).as('assignees'), milestoneOf(db).as('milestones')])
    .select(pullOf(db).as('pulls'))
    .where('issue.deleted_at', 'is', null)

/** For queries that join `repository`. */
export const isCollaborator = (userColumn: string) =>
  sql<number>`(select count(*) from collaborator c
    where c.repository_id = repository.id and c.user_id = ${sql.ref(userColumn)})`
export const isMember = (userColumn: string) =>
  sql<number>`(select count(*) from organisation_member m
    where m.organisation_id = repository.owner_id and m.user_id = ${sql.ref(userColumn)} and m.state = 'active')`

/** Whether one of the user's pulls was merged: that makes an outsider a contributor. */
export const hasContributed = (userColumn: string) =>
  sql<number>`(select count(*) from (select 1 from issue ci join pull cp on cp.issue_id = ci.id
    where ci.repository_id = repository.id and ci.author_id = ${sql.ref(userColumn)} and ci.is_pull = 1
    and cp.merged_at is not null limit 1) contribution)`

export type IssueRow = Awaited<ReturnType<ReturnType<typeof selectIssues>['executeTakeFirstOrThrow']>>

export type IssueReading = ReturnType<typeof makeIssueReading>

export function makeIssueReading({ store }: { store: Store }) {
  return {
    /** Leaves out deleted issues. */
    async readByIds(ids: readonly number[], db: Db = store.db, withTexts = true): Promise<Map<number, Issue>> {
      if (ids.length === 0) return new Map()
      const rows = await issuesByIds(db, { ids: [...new Set(ids)] })
      return new Map((await completeIssues(db, rows, withTexts)).map((issue) => [issue.id, issue]))
    },

    async readById(id: number, db: Db = store.db): Promise<Issue | undefined> {
      const [issue] = await completeIssues(db, await issuesByIds(db, { ids: [id] }))
      return issue
    },

    async readByNumber(repositoryId: number, number: number): Promise<Issue | undefined> {
      const [issue] = await completeIssues(store.db, await issueByNumber(store.db, { repositoryId, number }))
      return issue
    },
  }
}

const issuesByIds = prepareFor((db, { ids }: { readonly ids: readonly number[] }) =>
  selectIssues(db).where('issue.id', 'in', ids),
)

const issueByNumber = prepareFor((db, { repositoryId, number }: { repositoryId: number; number: number }) =>
  selectIssues(db).where('issue.repository_id', '=', repositoryId).where('issue.number', '=', number),
)

export const orderColumns = {
  created: 'issue.created_at',
  updated: 'issue.updated_at',
  comments: 'issue.comment_count',
} as const

export type IssueOrder = { readonly sort: keyof typeof orderColumns; readonly direction: 'asc' | 'desc' }

/** Ids of issues that are not deleted, to be narrowed further. */
export const selectIssueIds = (db: Db) =>
  db
    .selectFrom('issue')
    .innerJoin('repository', 'repository.id', 'issue.repository_id')
    .select('issue.id')
    .where('issue.deleted_at', 'is', null)

export type IssueIds = ReturnType<typeof selectIssueIds>

/** One page of the found issues and their total, in one query: details are read only for this page. */
export async function readIssuePage(
  db: Db,
  found: IssueIds,
  { sort, direction }: IssueOrder,
  { offset, limit, withoutTexts = false }: PageRequest,
): Promise<Page<Issue>> {
  const column = orderColumns[sort]
  const ids = found.orderBy(column, direction).orderBy('issue.id', direction).offset(offset).limit(limit)
  const rows = await selectIssues(db)
    .select(countedBy(found).as('row_total'))
    .where('issue.id', 'in', ids)
    .orderBy(column, direction)
    .orderBy('issue.id', direction)
    .execute()
  const total = rows.length === 0 && mayHaveMissed({ offset, limit }) ? await countRows(found) : rows[0]?.row_total
  return { total: Number(total ?? 0), items: await completeIssues(db, rows, !withoutTexts) }
}

const labelsOf = (db: Db) =>
  jsonRows(
    db,
    db
      .selectFrom('issue_label')
      .innerJoin('label', 'label.id', 'issue_label.label_id')
      .select(['label.id', 'label.name', 'label.color', 'label.description', 'label.is_default'])
      .where('issue_label.issue_id', '=', sql.ref<number>('issue.id'))
      .orderBy('label.name_key'),
  )

/** In the order of assignment. */
const assigneesOf = (db: Db) =>
  jsonRows(
    db,
    db
      .selectFrom('issue_assignee')
      .innerJoin('account as person', 'person.id', 'issue_assignee.user_id')
      .select(['person.id', 'person.kind', 'person.name', 'person.role'])
      .where('issue_assignee.issue_id', '=', sql.ref<number>('issue.id'))
      .orderBy('issue_assignee.created_at')
      .orderBy('issue_assignee.user_id'),
  )

const milestoneOf = (db: Db) =>
  jsonRows(db, selectMilestones(db).where('milestone.id', '=', sql.ref<number>('issue.milestone_id')))

const pullOf = (db: Db) =>
  jsonRows(
    db,
    db
      .selectFrom('pull')
      .select(['pull.is_draft', 'pull.merged_at'])
      .where('pull.issue_id', '=', sql.ref<number>('issue.id')),
  )

type Subject = 'issue' | 'issue-comment' | 'commit-comment' | 'review-comment' | 'release'
type ReactionRow = { readonly content: string; readonly count: number }

/** The reactions to the subject in `column`, read with its row. */
export const reactionsTo = (db: Db, kind: Subject, column: string) =>
  jsonRows<ReactionRow>(
    db,
    db
      .selectFrom('reaction')
      .select((eb) => ['reaction.content', eb.fn.countAll<number>().as('count')])
      .where('reaction.subject_kind', '=', sql.lit(kind))
      .where('reaction.subject_id', '=', sql.ref<number>(column))
      .groupBy('reaction.content'),
  )

export const readReactions = (rows: JsonRows<ReactionRow>): ReactionCounts =>
  Object.fromEntries(readJson(rows).map(({ content, count }) => [content as ReactionContent, count]))

type AssociationRow = { owner_id: number; is_collaborator: number; is_member: number; has_contributed: number }

export function associationOf(userId: number, row: AssociationRow): Association {
  if (row.owner_id === userId) return 'OWNER'
  if (Number(row.is_member) > 0) return 'MEMBER'
  if (Number(row.is_collaborator) > 0) return 'COLLABORATOR'
  return Number(row.has_contributed) > 0 ? 'CONTRIBUTOR' : 'NONE'
}

/** The author of a pull without an association is about to contribute for the first time. */
function associationOfAuthor(row: IssueRow): Association {
  const association = associationOf(row.author_id, row)
  return association === 'NONE' && row.is_pull === 1 ? 'FIRST_TIME_CONTRIBUTOR' : association
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

const toPull = ([row]: readonly { is_draft: number; merged_at: number | null }[]): PullFacts => ({
  isDraft: row?.is_draft === 1,
  mergedAt: toDate(row?.merged_at ?? null),
})

/** In the order of the rows. Long texts are read only on request. */
async function completeIssues(db: Db, rows: readonly IssueRow[], withTexts = true): Promise<Issue[]> {
  const milestones = new Map(rows.flatMap((row) => readJson(row.milestones)).map((row) => [row.id, row]))
  if (withTexts) {
    await readLongTexts(db, 'issue', rows)
    await readLongTexts(db, 'milestone', [...milestones.values()], 'description')
  }
  return rows.map((row) => toIssue(row, milestones.get(row.milestone_id ?? 0)))
}

const toIssue = (row: IssueRow, milestone: MilestoneRow | undefined): Issue => ({
  id: row.id,
  repositoryId: row.repository_id,
  number: row.number,
  isPull: row.is_pull === 1,
  state: row.state,
  stateReason: row.state_reason,
  title: row.title,
  body: row.body,
  author: readPerson(row.author)!,
  association: associationOfAuthor(row),
  isLocked: row.is_locked === 1,
  lockReason: row.lock_reason,
  pinnedAt: toDate(row.pinned_at),
  commentCount: row.comment_count,
  closedBy: readPerson(row.closed_by) ?? null,
  closedAt: toDate(row.closed_at),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
  labels: readJson(row.labels).map(toLabel),
  assignees: readJson(row.assignees).map(toPerson),
  milestone: milestone ? toMilestone(milestone) : null,
  reactions: readReactions(row.reactions),
  pull: row.is_pull === 1 ? toPull(readJson(row.pulls)) : null,
  app: readApp(row.app),
})
