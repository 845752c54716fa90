/** Many submissions, accounts and problems at once, stored as the judge would have stored them one by one. */
import { sql } from 'kysely'
import { makeSubmissionCounts } from '../src/judge/submissions/submission-counts.ts'
import { openSqlite } from '../src/store/sqlite/sqlite.ts'

/** All wait, by one account and to one problem. */
export async function storeSubmissions(path: string, count: number, account: number, problem: string): Promise<void> {
  const store = await openSqlite(path)
  await store.write(async (trx) => {
    await sql`insert into submission
      (problem_id, author_id, language, status, result, created_at, losses, finished_tests, total_tests)
      with recursive number (n) as (select 1 union all select n + 1 from number where n < ${count})
      select (select id from problem where uuid = ${problem}), ${account}, 'c', 1, 0, ${Date.now()}, 0, 0, 0
      from number`.execute(trx)
    await sql`insert into submission_source (submission_id, content) select id, cast('x' as blob) from submission`.execute(
      trx,
    )
  })
  await makeSubmissionCounts({ store }).fold()
  await store.close()
}

/** As many of each, the problems all by one account. */
export async function storeAccountsAndProblems(path: string, count: number, account: number): Promise<void> {
  const store = await openSqlite(path)
  const numbers = sql`with recursive number (n) as (select 1 union all select n + 1 from number where n < ${count})`
  await store.write(async (trx) => {
    await sql`insert into account (kind, name, name_key, display_name, role, created_at, updated_at) ${numbers}
      select 'user', 'drawn-' || n, 'drawn-' || n, 'Drawn', 'contestant', 0, 0 from number`.execute(trx)
    await sql`insert into problem (uuid, author_id, display_name, description, time_limit_ms, memory_limit_bytes, examples,
      test_hash, test_count, next_position, created_at, updated_at) ${numbers}
      select 'drawn-' || n, ${account}, 'Sum', 'Add.', 1000, 67108864, '[]', '', 0, 0, 0, 0 from number`.execute(trx)
  })
  await store.close()
}
