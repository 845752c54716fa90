/** Finished submissions: consumers are called in the transaction that finishes one, so that no event is lost. */
import type { Db } from '../../store/schema/schema.ts'

export type FinishedSubmission = {
  readonly id: number
  readonly authorId: number
  readonly problemId: number
  readonly problemTitle: string
  readonly result: number
  readonly contestId: number | null
}

export type FinishedConsumer = (trx: Db, submission: FinishedSubmission) => Promise<void>

/** Called before a submission is deleted; returns what to do afterwards. */
export type DeletionConsumer = (
  trx: Db,
  submission: { readonly id: number; readonly contest_id: number | null },
) => Promise<() => Promise<void>>

/** Called only for contest submissions, with all that end in one transaction. */
export type ContestConsumer = (trx: Db, submissions: readonly FinishedSubmission[]) => Promise<void>

export type FinishedSubmissions = ReturnType<typeof makeFinishedSubmissions>

export function makeFinishedSubmissions() {
  const consumers: FinishedConsumer[] = []
  let inContests: ContestConsumer = async () => {}
  let deletion: DeletionConsumer = async () => async () => {}
  return {
    /** A contest decides itself who is told of its submissions. */
    consumeContests(consumer: ContestConsumer, onDeletion: DeletionConsumer): void {
      inContests = consumer
      deletion = onDeletion
    },

    tellDeletion: (trx: Db, submission: Parameters<DeletionConsumer>[1]) => deletion(trx, submission),

    consume(consumer: FinishedConsumer): void {
      consumers.push(consumer)
    },

    async tell(trx: Db, ids: readonly number[]): Promise<void> {
      if (ids.length === 0) return
      const rows = await trx
        .selectFrom('submission')
        .innerJoin('problem', 'problem.id', 'submission.problem_id')
        .select(['submission.id', 'submission.author_id', 'problem_id', 'display_name', 'result', 'contest_id'])
        .where('submission.id', 'in', ids)
        .execute()
      const told = rows.map((row) => ({
        id: row.id,
        authorId: row.author_id,
        problemId: row.problem_id,
        problemTitle: row.display_name,
        result: row.result,
        contestId: row.contest_id,
      }))
      const ofContests = told.filter(({ contestId }) => contestId !== null)
      if (ofContests.length > 0) await inContests(trx, ofContests)
      for (const one of told) if (one.contestId === null) for (const consume of consumers) await consume(trx, one)
    },
  }
}
