/** Comments on a submission's code, by its author, their teachers and the problem's owners. */
import { type Actor, isAdmin, requireSignIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Limits } from '../limits.ts'
import type { Submissions } from '../submissions/submissions.ts'

export type SubmissionComment = {
  readonly id: number
  readonly authorName: string
  readonly authorDisplayName: string
  readonly line: number | null
  readonly text: string
  readonly createdAt: number
}

type Needs = {
  store: Store
  clock: Clock
  submissions: Pick<Submissions, 'get' | 'maySeeWork'>
  limits: Pick<Limits, 'submissionComments'>
}

export type SubmissionComments = ReturnType<typeof makeSubmissionComments>

export function makeSubmissionComments({ store, clock, submissions, limits }: Needs) {
  async function demandWork(actor: Actor, submissionId: number) {
    requireSignIn(actor)
    const submission = await submissions.get(actor, submissionId)
    const message = 'Only the author, their teachers and the author of the problem may see its comments.'
    demand(await submissions.maySeeWork(actor, submission), 'forbidden', 'not-yours', message)
    return { submission, actor }
  }

  const select = (db: Db, submissionId: number) =>
    db
      .selectFrom('submission_comment')
      .innerJoin('account', 'account.id', 'submission_comment.author_id')
      .select(['submission_comment.id', 'submission_comment.line', 'submission_comment.text'])
      .select(['submission_comment.created_at as createdAt', 'account.name as authorName'])
      .select('account.display_name as authorDisplayName')
      .where('submission_id', '=', submissionId)

  return {
    async put(actor: Actor, submissionId: number, line: number | null, text: string): Promise<SubmissionComment> {
      const { submission, actor: author } = await demandWork(actor, submissionId)
      const lines = submission.content.split('\n').length
      const message = `The program has ${lines} lines.`
      demand(line === null || line <= lines, 'precondition', 'line-unknown', message)
      return store.write(
        async (trx) => {
          const { count } = await trx
            .selectFrom('submission_comment')
            .select((eb) => eb.fn.countAll<number>().as('count'))
            .where('submission_id', '=', submissionId)
            .executeTakeFirstOrThrow()
          const most = `A submission has at most ${limits.submissionComments} comments.`
          demand(Number(count) < limits.submissionComments, 'limited', 'too-many-comments', most)
          const { id } = await trx
            .insertInto('submission_comment')
            .values({
              submission_id: submissionId,
              author_id: author.account.id,
              line,
              text,
              created_at: clock.now(),
            })
            .returning('id')
            .executeTakeFirstOrThrow()
          return select(trx, submissionId).where('submission_comment.id', '=', id).executeTakeFirstOrThrow()
        },
        { locks: [`submission-comments:${submissionId}`] },
      )
    },

    async list(actor: Actor, submissionId: number): Promise<SubmissionComment[]> {
      await demandWork(actor, submissionId)
      return select(store.db, submissionId).orderBy('submission_comment.id').execute()
    },

    /** Allowed for the comment's author and admins. */
    async delete(actor: Actor, submissionId: number, id: number): Promise<void> {
      const { actor: reader } = await demandWork(actor, submissionId)
      const row = await store.db
        .selectFrom('submission_comment')
        .select('author_id')
        .where('id', '=', id)
        .where('submission_id', '=', submissionId)
        .executeTakeFirst()
      demand(row, 'not-found', 'comment-unknown', `The submission has no comment ${id}.`)
      const isOwn = row.author_id === reader.account.id || isAdmin(reader)
      demand(isOwn, 'forbidden', 'not-yours', 'You may delete only your own comments.')
      await store.write((trx) => trx.deleteFrom('submission_comment').where('id', '=', id).execute())
    },
  }
}
