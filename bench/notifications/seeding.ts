/** Very many users, watchers and threads, made by plain SQL before anything is measured. */
import { sql } from 'kysely'
import type { TestServer } from '../../test/support/server.ts'

export const firstUser = 1_000_000

/** Numbers from 1 on, on SQLite. */
const numbers = (count: number) =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)}) select i from n`

export async function makeUsers({ services: { store } }: TestServer, count: number): Promise<void> {
  await store.write(async (trx) => {
    await sql`insert into account (id, kind, name, name_key, display_name, role, created_at, updated_at)
      select ${sql.lit(firstUser)} + i, 'user', 'u' || i, 'u' || i, '', 'contestant', 0, 0
      from (${numbers(count)})`.execute(trx)
  })
}

export async function makeWatchers(
  { services: { store } }: TestServer,
  repositoryId: number,
  count: number,
): Promise<void> {
  await store.write(async (trx) => {
    await sql`insert into watch (repository_id, user_id, is_ignored, created_at)
      select ${sql.lit(repositoryId)}, ${sql.lit(firstUser)} + i, 0, 0 from (${numbers(count)})`.execute(trx)
  })
}

/** Threads of a user, each with a subject of its own, one a second. */
export async function makeThreads(
  { services: { store } }: TestServer,
  { repositoryId, userId, count, name }: { repositoryId: number; userId: number; count: number; name: string },
): Promise<void> {
  await store.write(async (trx) => {
    await sql`insert into thread_subject (repository_id, kind, key, type, title)
      select ${sql.lit(repositoryId)}, 'external', ${name} || i, 'CheckSuite', 'Build ' || i
      from (${numbers(count)})`.execute(trx)
    await sql`insert into thread (user_id, subject_id, repository_id, subscription, reason, is_participating, state,
        updated_at, last_activity_id, change)
      select ${sql.lit(userId)}, id, repository_id, 'none', 'ci_activity', 0, 'unread', id * 1000, 0, 1
      from thread_subject where repository_id = ${sql.lit(repositoryId)} and key like ${`${name}%`}`.execute(trx)
    await sql`insert into inbox (user_id, change, modified_at) values (${sql.lit(userId)}, 1, 1000)
      on conflict do nothing`.execute(trx)
  })
}
