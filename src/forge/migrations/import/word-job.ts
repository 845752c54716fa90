/** Writes the search words of imported issues and comments: after the import and in portions, so that nobody waits. */
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { withIssueLocks } from '../../issues/issue-act.ts'
import { bodySource, keepWords, titleSource } from '../../issues/search/words.ts'

export const wordsKind = 'forge.import-words'

/** The texts in one transaction: each takes some milliseconds if it has the maximum length. */
const portion = 10

type Payload = { readonly repositoryId: number }

export function defineWordJob({ store, jobs }: { store: Store; jobs: Jobs }): void {
  /** Reads the texts as they are now. The lock keeps others from changing issues meanwhile. */
  const write = (repositoryId: number, act: (trx: Db) => Promise<number | undefined>) =>
    store.write(act, withIssueLocks(repositoryId))

  async function writeIssues(trx: Db, repositoryId: number, after: number): Promise<number | undefined> {
    const rows = await trx
      .selectFrom('issue')
      .select(['id', 'title', 'body'])
      .where('repository_id', '=', repositoryId)
      .where('deleted_at', 'is', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(portion)
      .execute()
    for (const { id, title, body } of rows) {
      await keepWords(trx, { repositoryId, issueId: id, source: titleSource, text: title })
      await keepWords(trx, { repositoryId, issueId: id, source: bodySource, text: body ?? '' })
    }
    return rows.at(-1)?.id
  }

  async function writeComments(trx: Db, repositoryId: number, after: number): Promise<number | undefined> {
    const rows = await trx
      .selectFrom('issue_comment')
      .innerJoin('issue', 'issue.id', 'issue_comment.issue_id')
      .select(['issue_comment.id', 'issue_id', 'issue_comment.body'])
      .where('issue_comment.repository_id', '=', repositoryId)
      .where('issue.deleted_at', 'is', null)
      .where('issue_comment.id', '>', after)
      .orderBy('issue_comment.id')
      .limit(portion)
      .execute()
    for (const { id, issue_id, body } of rows)
      await keepWords(trx, { repositoryId, issueId: issue_id, source: id, text: body })
    return rows.at(-1)?.id
  }

  jobs.define<Payload>(wordsKind, async ({ repositoryId }, { signal }) => {
    for (const writeSome of [writeIssues, writeComments])
      for (let after: number | undefined = 0; after !== undefined; ) {
        signal.throwIfAborted()
        const from: number = after
        after = await write(repositoryId, (trx) => writeSome(trx, repositoryId, from))
      }
  })
}
