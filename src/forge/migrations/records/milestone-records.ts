/** Records of milestones. */
import { formatTime, formatTimeOrNull } from './addresses.ts'
import type { ExportContext, ExportedRepository } from './export-context.ts'
import { pageSize, readPages } from './keyed-pages.ts'

export async function writeMilestones(context: ExportContext, repository: ExportedRepository): Promise<void> {
  const { db, addresses, people, files } = context
  const read = (after: number) =>
    db
      .selectFrom('milestone')
      .selectAll()
      .where('repository_id', '=', repository.id)
      .where('number', '>', after)
      .orderBy('number')
      .limit(pageSize)
      .execute()
  for await (const rows of readPages(read, ({ number }) => number)) {
    await people.look(rows.map(({ creator_id }) => creator_id))
    for (const row of rows) {
      await files.add({
        type: 'milestone',
        url: addresses.milestone(repository, row.number),
        repository: addresses.repository(repository),
        user: people.address(row.creator_id),
        title: row.title,
        description: row.description,
        state: row.state,
        due_on: formatTimeOrNull(row.due_on),
        closed_at: formatTimeOrNull(row.closed_at),
        created_at: formatTime(row.created_at),
        updated_at: formatTime(row.updated_at),
      })
    }
  }
}
