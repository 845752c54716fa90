/** How many submissions wait to be judged, for the first time or again, and since when. */
import { sql } from 'kysely'
import { type Backlog, mostCounted } from '../../store/backlog.ts'
import type { Store } from '../../store/store.ts'
import { submitted } from '../submissions/status.ts'

const none: Backlog = { count: 0, since: undefined }

/**
 * If more wait than are counted, the count covers only some of them. What a contest has judged again is left out: anybody may
 * read the figures, and a rejudging is unseen until it is applied.
 */
export async function readJudgingBacklog({ db }: Store): Promise<{ first: Backlog; again: Backlog }> {
  const waiting = sql`select is_rejudged, id from submission
    where status = ${sql.lit(submitted)} and (is_rejudged = 0 or contest_id is null)
    order by author_id, is_rejudged, id limit ${sql.lit(mostCounted)}`
  const { rows } = await sql<{ is_rejudged: number; count: number; since: number }>`
    select counted.is_rejudged, counted.count as count, submission.created_at as since
    from (select is_rejudged, count(*) as count, min(id) as first from (${waiting}) as waiting group by is_rejudged) as counted
    join submission on submission.id = counted.first`.execute(db)
  const find = (isRejudged: 0 | 1): Backlog => {
    const row = rows.find(({ is_rejudged }) => Number(is_rejudged) === isRejudged)
    return row ? { count: Number(row.count), since: Number(row.since) } : none
  }
  return { first: find(0), again: find(1) }
}
