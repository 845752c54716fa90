/** Records of comments on issues and pulls. */
import { formatTime } from './addresses.ts'
import type { ExportContext, ExportedRepository } from './export-context.ts'
import { pageSize, readPages } from './keyed-pages.ts'
import { readReactions } from './reaction-records.ts'

export async function writeIssueComments(context: ExportContext, repository: ExportedRepository): Promise<void> {
  const { db, addresses, people, files, mentions } = context
  const read = (after: number) =>
    db
      .selectFrom('issue_comment')
      .innerJoin('issue', 'issue.id', 'issue_comment.issue_id')
      .selectAll('issue_comment')
      .select(['issue.number', 'issue.is_pull'])
      .where('issue_comment.repository_id', '=', repository.id)
      .where('issue.deleted_at', 'is', null)
      .where('issue_comment.id', '>', after)
      .orderBy('issue_comment.id')
      .limit(pageSize)
      .execute()
  for await (const rows of readPages(read, ({ id }) => id)) {
    const ids = rows.map(({ id }) => id)
    const reactions = await readReactions(context, 'issue-comment', ids)
    await people.look(rows.map(({ author_id }) => author_id))
    for (const row of rows) {
      const issue = addresses.issue(repository, row.number, row.is_pull === 1)
      const url = addresses.issueComment(issue, row.id)
      mentions.note(row.body, { member: 'issue_comment', address: url })
      await files.add({
        type: 'issue_comment',
        url,
        [row.is_pull === 1 ? 'pull_request' : 'issue']: issue,
        user: people.address(row.author_id),
        body: row.body,
        formatter: 'markdown',
        reactions: reactions(row.id),
        created_at: formatTime(row.created_at),
        updated_at: formatTime(row.updated_at),
      })
    }
  }
}
