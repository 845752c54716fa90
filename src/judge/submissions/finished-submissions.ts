/** Finished submissions: what is to follow from one is told of it in the transaction that finishes it, and lost with none. */
import type { Db } from '../../store/schema/schema.ts'

export type FinishedSubmission = {
  readonly id: number
  readonly authorId: number
  readonly problemId: number
  readonly problemTitle: string
  readonly result: number
}

export type FinishedConsumer = (trx: Db, submission: FinishedSubmission) => Promise<void>

export type FinishedSubmissions = ReturnType<typeof makeFinishedSubmissions>

export function makeFinishedSubmissions() {
  const consumers: FinishedConsumer[] = []
  return {
    consume(consumer: FinishedConsumer): void {
      consumers.push(consumer)
    },

    async tell(trx: Db, ids: readonly number[]): Promise<void> {
      if (consumers.length === 0 || ids.length === 0) return
      const rows = await trx
        .selectFrom('submission')
        .innerJoin('problem', 'problem.id', 'submission.problem_id')
        .select(['submission.id', 'submission.author_id', 'problem_id', 'display_name', 'result'])
        .where('submission.id', 'in', ids)
        .execute()
      for (const row of rows) {
        const { id, author_id: authorId, problem_id: problemId, display_name: problemTitle, result } = row
        for (const consume of consumers) await consume(trx, { id, authorId, problemId, problemTitle, result })
      }
    },
  }
}
