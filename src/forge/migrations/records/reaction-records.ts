/** Reads the reactions to the things on a page of records. */
import type { ReactionSubject } from '../../../store/schema/issue-tables.ts'
import { formatTime } from './addresses.ts'
import type { ExportContext } from './export-context.ts'
import { groupBy } from './keyed-pages.ts'

export type ReactionRecords = (subjectId: number) => object[]

export async function readReactions(
  { db, people }: ExportContext,
  kind: ReactionSubject,
  subjectIds: readonly number[],
): Promise<ReactionRecords> {
  const rows = await db
    .selectFrom('reaction')
    .select(['subject_id', 'user_id', 'content', 'created_at'])
    .where('subject_kind', '=', kind)
    .where('subject_id', 'in', subjectIds)
    .orderBy('id')
    .execute()
  await people.look(rows.map(({ user_id }) => user_id))
  const ofSubject = groupBy(rows, ({ subject_id }) => subject_id)
  return (subjectId) =>
    ofSubject(subjectId).map(({ user_id, content, created_at }) => ({
      user: people.address(user_id),
      content,
      created_at: formatTime(created_at),
    }))
}
