/** Reads the row of an issue to be changed, within the transaction. */
import type { Selectable } from 'kysely'
import { Failure } from '../../lib/failure.ts'
import { prepareFor } from '../../store/prepared.ts'
import type { IssueTable } from '../../store/schema/issue-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import { notFound } from '../failures.ts'

declare module '../../lib/failure.ts' {
  interface FailureDetail {
    /** The current place of a transferred issue. */
    readonly issuePlace?: { readonly repositoryId: number; readonly number: number }
  }
}

export type IssueCore = Selectable<IssueTable>

export const issueGone = (): Failure => new Failure('not-found', 'gone', 'This issue was deleted')

const rowByNumber = prepareFor((db, { repositoryId, number }: { repositoryId: number; number: number }) =>
  db.selectFrom('issue').selectAll().where('repository_id', '=', repositoryId).where('number', '=', number),
)
const rowById = prepareFor((db, { id }: { id: number }) => db.selectFrom('issue').selectAll().where('id', '=', id))

/** 404 for a number never used, 410 for a deleted issue; for a transferred one the failure names its new place. */
export async function findIssue(db: Db, repositoryId: number, number: number): Promise<IssueCore> {
  const [row] = await rowByNumber(db, { repositoryId, number })
  if (row && row.deleted_at === null) return row
  if (row) throw issueGone()
  throw await explainAbsence(db, repositoryId, number)
}

async function explainAbsence(db: Db, repositoryId: number, number: number): Promise<Failure> {
  const moved = await db
    .selectFrom('issue_former_place')
    .innerJoin('issue', 'issue.id', 'issue_former_place.issue_id')
    .select(['issue.repository_id', 'issue.number', 'issue.deleted_at'])
    .where('issue_former_place.repository_id', '=', repositoryId)
    .where('issue_former_place.number', '=', number)
    .executeTakeFirst()
  if (!moved) return notFound()
  if (moved.deleted_at !== null) return issueGone()
  const issuePlace = { repositoryId: moved.repository_id, number: moved.number }
  return new Failure('not-found', 'issue-moved', 'Moved Permanently', { issuePlace })
}

export async function getIssueRow(trx: Db, id: number): Promise<IssueCore> {
  const [row] = await rowById(trx, { id })
  if (!row) throw notFound()
  if (row.deleted_at !== null) throw issueGone()
  return row
}

/** Marks the issue as updated now. */
export async function touchIssue(trx: Db, id: number, now: number): Promise<void> {
  await trx.updateTable('issue').set({ updated_at: now }).where('id', '=', id).execute()
}
