/** Finished submissions: consumers are called in the transaction that finishes one, so that no event is lost. */
import type { Db } from '../../store/schema/schema.ts'

export type FinishedSubmission = {
  readonly id: number
  readonly authorId: number
  readonly problemId: number
  readonly problemTitle: string
  readonly result: number
}

export type FinishedConsumer = (trx: Db, submission: FinishedSubmission) => Promise<void>

/** A submission, and the contest that it was handed in to. */
export type Placed = { readonly id: number; readonly contest_id: number | null }

/** Called before a submission is deleted; returns what to do afterwards. */
export type DeletionConsumer = (trx: Db, submission: Placed) => Promise<() => Promise<void>>

/** Called only for contest submissions, with all that end in one transaction. */
export type ContestConsumer = (trx: Db, ids: readonly number[]) => Promise<void>

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

    tellDeletion: (trx: Db, submission: Placed) => deletion(trx, submission),

    consume(consumer: FinishedConsumer): void {
      consumers.push(consumer)
    },

    async tell(trx: Db, ended: readonly Placed[]): Promise<void> {
      const isOfContest = ({ contest_id }: Placed) => contest_id !== null
      const ofContests = ended.filter(isOfContest).map(({ id }) => id)
      const others = ended.filter((one) => !isOfContest(one)).map(({ id }) => id)
      if (ofContests.length > 0) await inContests(trx, ofContests)
      if (others.length === 0 || consumers.length === 0) return
      const rows = await trx
        .selectFrom('submission')
        .innerJoin('problem', 'problem.id', 'submission.problem_id')
        .select(['submission.id', 'submission.author_id', 'problem_id', 'display_name', 'result'])
        .where('submission.id', 'in', others)
        .execute()
      for (const row of rows) {
        const told = {
          ...{ id: row.id, authorId: row.author_id, problemId: row.problem_id },
          ...{ problemTitle: row.display_name, result: row.result },
        }
        for (const consume of consumers) await consume(trx, told)
      }
    },
  }
}
