/** Queries of single submissions; those that every call runs are prepared once. */
import { sql } from 'kysely'
import { demand } from '../../lib/failure.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { noResult, submitted } from './status.ts'
import { snippetColumns } from './submission-row.ts'

type Insert = {
  problemId: number
  authorId: number
  language: string
  turn: number
  createdAt: number
  contestId: number | null
}

export function makeSubmissionQueries({ db, engine }: Store) {
  const find = prepareQuery(db, ({ id }: { id: number }) =>
    db
      .selectFrom('submission')
      .innerJoin('account', 'account.id', 'submission.author_id')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .innerJoin('submission_source', 'submission_source.submission_id', 'submission.id')
      .leftJoin('contest', 'contest.id', 'submission.contest_id')
      .select([...snippetColumns, 'submission.is_rejudged', 'submission_source.content'])
      .select('contest.languages as contest_languages')
      .select([
        'problem.needs',
        'problem.time_limit_ms',
        'problem.memory_limit_bytes',
        'problem.time_factors',
        'problem.judging_state',
        'problem.test_hash',
        'problem.hash_key',
      ])
      .where('submission.id', '=', id),
  )

  return {
    /** Reads a submission with its content; fails if there is none with this id. */
    async demand(id: number, on: Db = db) {
      const [row] = await find({ id }, on)
      demand(row, 'not-found', 'submission-unknown', `There is no submission ${id}.`)
      return row
    },

    insert: prepareQuery(db, ({ problemId, authorId, language, turn, createdAt, contestId }: Insert) =>
      db
        .insertInto('submission')
        .values({
          problem_id: problemId,
          author_id: authorId,
          language,
          turn,
          status: submitted,
          result: noResult,
          created_at: createdAt,
          contest_id: contestId,
          losses: 0,
          finished_tests: 0,
          total_tests: 0,
          needs: sql<number>`coalesce((select problem.needs from problem where problem.id = ${problemId}), 0)`,
        })
        .returning('id'),
    ),

    insertSource: prepareQuery(db, ({ id, content }: { id: number; content: Uint8Array }) =>
      db.insertInto('submission_source').values({ submission_id: id, content }),
    ),

    /** Counts only up to the quota, without rejudgings, which the author did not cause. */
    countWaiting: prepareQuery(db, ({ authorId, most }: { authorId: number; most: number }) =>
      db
        .selectFrom(
          db
            .selectFrom('submission')
            .select('author_id')
            .where('author_id', '=', authorId)
            .where('is_rejudged', '=', sql.lit(0))
            .where('status', '=', sql.lit(submitted))
            .limit(most)
            .as('waiting'),
        )
        .select((eb) => eb.fn.countAll<number>().as('count')),
    ),

    /** Serializes the submissions of one account until the transaction ends. SQLite has one writer anyway. */
    async lockAuthor(trx: Db, authorId: number): Promise<void> {
      if (engine !== 'postgres') return
      await sql`select pg_advisory_xact_lock(hashtextextended(${`submitting:${authorId}`}, 0))`.execute(trx)
    },
  }
}

export type SubmissionQueries = ReturnType<typeof makeSubmissionQueries>
