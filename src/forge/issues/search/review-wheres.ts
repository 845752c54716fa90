/** Qualifiers of a search about reviews as conditions. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Schema } from '../../../store/schema/schema.ts'
import { holdsLevel } from '../../access/holding.ts'
import { invalidField } from '../../failures.ts'

type Eb = ExpressionBuilder<Schema, 'issue' | 'repository'>
type Where = (eb: Eb) => Expression<SqlBool>

const submitted = (eb: Eb) =>
  eb
    .selectFrom('review')
    .select('review.id')
    .whereRef('review.issue_id', '=', 'issue.id')
    .where('review.state', '!=', 'PENDING')

export const isReviewedBy =
  (userId: number): Where =>
  (eb) =>
    eb.exists(submitted(eb).where('review.author_id', '=', userId))

/** Whether the newest opinion of somebody who may write is this one. A comment is no opinion. */
const hasOpinion = (eb: Eb, state: 'APPROVED' | 'CHANGES_REQUESTED') =>
  eb.exists(
    submitted(eb)
      .where('review.state', '=', state)
      .where(holdsLevel('review.author_id', 'write'))
      .where(
        () =>
          sql<SqlBool>`not exists (select 1 from review as newer where newer.issue_id = review.issue_id
            and newer.author_id = review.author_id and newer.id > review.id
            and newer.state in ('APPROVED', 'CHANGES_REQUESTED'))`,
      ),
  )

export function reviewWhere(word: string): Where {
  switch (word) {
    case 'none':
      return (eb) => eb.and([eb('issue.is_pull', '=', 1), eb.not(eb.exists(submitted(eb)))])
    case 'approved':
      return (eb) => eb.and([hasOpinion(eb, 'APPROVED'), eb.not(hasOpinion(eb, 'CHANGES_REQUESTED'))])
    case 'changes_requested':
    case 'changes-requested':
      return (eb) => hasOpinion(eb, 'CHANGES_REQUESTED')
    default:
      throw invalidField('q', 'invalid', 'review takes none, approved or changes_requested here.')
  }
}
