/** The rows of a pull and its issue, as a transaction sees them. */
import type { Selectable } from 'kysely'
import { prepareFor } from '../../store/prepared.ts'
import type { PullTable } from '../../store/schema/pull-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import { notFound } from '../failures.ts'
import { findIssue, getIssueRow, type IssueCore } from '../issues/issue-row.ts'

export type PullRow = Selectable<PullTable>
export type PullRows = { readonly issue: IssueCore; readonly row: PullRow }

const rowOf = prepareFor((db, { issueId }: { issueId: number }) =>
  db.selectFrom('pull').selectAll().where('issue_id', '=', issueId),
)

export const readPullRow = async (db: Db, issueId: number): Promise<PullRow | undefined> =>
  (await rowOf(db, { issueId }))[0]

/** An issue that is no pull counts as not found. */
export async function findPull(db: Db, repositoryId: number, number: number): Promise<PullRows> {
  const issue = await findIssue(db, repositoryId, number)
  const row = issue.is_pull === 1 ? await readPullRow(db, issue.id) : undefined
  if (!row) throw notFound()
  return { issue, row }
}

export async function getPullRows(db: Db, issueId: number): Promise<PullRows> {
  const row = await readPullRow(db, issueId)
  if (!row) throw notFound()
  return { issue: await getIssueRow(db, issueId), row }
}

/** Closed pulls, merged or not, are no longer followed. */
export const isOpen = ({ issue, row }: PullRows): boolean => issue.state === 'open' && row.merged_at === null

/** A head and a base branch. */
export type PullLine = {
  readonly repositoryId: number
  readonly baseRef: string
  readonly headRepositoryId: number
  readonly headRef: string
}

/** The open pull between them: there is at most one. */
export const findOpenOn = (db: Db, { repositoryId, baseRef, headRepositoryId, headRef }: PullLine) =>
  db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .select('issue.number')
    .where('pull.repository_id', '=', repositoryId)
    .where('pull.base_ref', '=', baseRef)
    .where('pull.head_repository_id', '=', headRepositoryId)
    .where('pull.head_ref', '=', headRef)
    .where('issue.state', '=', 'open')
    .where('issue.deleted_at', 'is', null)
    .executeTakeFirst()

/** Rows of earlier versions have no opener: there it is the author. */
export const openerOf = ({ row, issue }: PullRows): number => row.opener_id ?? issue.author_id
