/** The queries about single submissions; those that every call runs are built once. */
import { sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely'
import { prepareQuery } from '../store/prepared.ts'
import type { Db, Schema } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { snippetColumns } from './submission-row.ts'
import { finished, noResult, submitted } from './verdict.ts'

type Insert = { problemId: number; authorId: number; language: string; createdAt: number }
type Narrow = (query: Restart) => Restart
type Restart = UpdateQueryBuilder<Schema, 'submission', 'submission', UpdateResult>

export function makeSubmissionQueries({ db, engine }: Store) {
  return {
    find: prepareQuery(db, ({ id }: { id: number }) =>
      db
        .selectFrom('submission')
        .innerJoin('account', 'account.id', 'submission.author_id')
        .innerJoin('problem', 'problem.id', 'submission.problem_id')
        .innerJoin('submission_source', 'submission_source.submission_id', 'submission.id')
        .select([...snippetColumns, 'submission_source.content'])
        .where('submission.id', '=', id),
    ),

    insert: prepareQuery(db, ({ problemId, authorId, language, createdAt }: Insert) =>
      db
        .insertInto('submission')
        .values({
          problem_id: problemId,
          author_id: authorId,
          language,
          status: submitted,
          result: noResult,
          created_at: createdAt,
          losses: 0,
          finished_tests: 0,
          total_tests: 0,
        })
        .returning('id'),
    ),

    insertSource: prepareQuery(db, ({ id, content }: { id: number; content: Uint8Array }) =>
      db.insertInto('submission_source').values({ submission_id: id, content }),
    ),

    /** Stops counting at the quota. */
    countWaiting: prepareQuery(db, ({ authorId, most }: { authorId: number; most: number }) =>
      db
        .selectFrom(
          db
            .selectFrom('submission')
            .select('author_id')
            .where('author_id', '=', authorId)
            .where('status', '=', sql.lit(submitted))
            .limit(most)
            .as('waiting'),
        )
        .select((eb) => eb.fn.countAll<number>().as('count')),
    ),

    /** On PostgreSQL; SQLite's writers always take turns. */
    async takeTurn(trx: Db, authorId: number): Promise<void> {
      if (engine !== 'postgres') return
      await sql`select pg_advisory_xact_lock(hashtextextended(${`submitting:${authorId}`}, 0))`.execute(trx)
    },

    dropReport: (trx: Db, id: number) => trx.deleteFrom('submission_report').where('submission_id', '=', id).execute(),

    dropReportsTo: (trx: Db, problemId: number) =>
      trx
        .deleteFrom('submission_report')
        .where('submission_id', 'in', (eb) =>
          eb.selectFrom('submission').select('id').where('problem_id', '=', problemId).where('status', '=', finished),
        )
        .execute(),

    /** As if it had just been handed in, in its old place. Answers how many of them were finished. */
    async restart(trx: Db, narrow: Narrow): Promise<number> {
      const again = trx
        .updateTable('submission')
        .set({ status: submitted, result: noResult, losses: 0, finished_at: null, cpu_ms: null, memory_bytes: null })
        .set({ finished_tests: 0, total_tests: 0 })
        .where('status', '=', finished)
      const { numUpdatedRows } = await narrow(again).executeTakeFirstOrThrow()
      return Number(numUpdatedRows)
    },
  }
}

export type SubmissionQueries = ReturnType<typeof makeSubmissionQueries>
