/** What lists of issues show of pulls. */
import { prepareFor } from '../../store/prepared.ts'
import type { ReadPullFacts } from '../issues/issue-reading.ts'

const factsOf = prepareFor((db, { ids }: { readonly ids: readonly number[] }) =>
  db.selectFrom('pull').select(['issue_id', 'is_draft', 'merged_at']).where('issue_id', 'in', ids),
)

export const readPullFacts: ReadPullFacts = async (db, issueIds) => {
  const rows = await factsOf(db, { ids: issueIds })
  return new Map(
    rows.map(({ issue_id, is_draft, merged_at }) => [
      issue_id,
      { isDraft: is_draft === 1, mergedAt: merged_at === null ? null : new Date(merged_at) },
    ]),
  )
}
