/** How many submissions wait to be judged, for the first time or again, and since when. */
import { sql } from 'kysely'
import { type Backlog, readBacklog } from '../../store/backlog.ts'
import type { Store } from '../../store/store.ts'
import { submitted } from '../submissions/status.ts'

export async function readJudgingBacklog({ db }: Store): Promise<{ first: Backlog; again: Backlog }> {
  const waiting = (isRejudged: 0 | 1) =>
    readBacklog(
      db,
      'submission',
      'submission.created_at',
      sql`select id from submission where status = ${sql.lit(submitted)} and is_rejudged = ${sql.lit(isRejudged)}
        order by turn, id`,
    )
  return { first: await waiting(0), again: await waiting(1) }
}
