/**
 * The log of a contest: its changes in commit order, since every change holds the contest's row. It contains only types
 * and ids; a feed reads the present objects.
 */
import { sql } from 'kysely'
import { prepareFor } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { type Contest, toContest } from '../contest-access/contest.ts'

/** Types under their names in the Contest API. */
export type LogType =
  | 'contest'
  | 'languages'
  | 'problems'
  | 'groups'
  | 'organizations'
  | 'teams'
  /** A team that was hidden before, too: only the jury learns of its deletion. */
  | 'hidden-teams'
  | 'accounts'
  | 'state'
  | 'submissions'
  | 'judgements'
  | 'runs'
  | 'clarifications'
  | 'awards'

/** A null id stands for the whole collection, or for the only object of its type. */
export type LogEntry = { readonly type: LogType; readonly id: string | null }

export const contestChannel = 'contest-log'

const take = prepareFor((db, { id, count }: { id: number; count: number }) =>
  db
    .updateTable('contest')
    .set({ feed_sequence: sql<number>`feed_sequence + cast(${count} as bigint)` })
    .where('id', '=', id)
    .returningAll(),
)
const insertOne = prepareFor((db, entry: { id: number; sequence: number; type: string; objectId: string | null }) =>
  db
    .insertInto('contest_log')
    .values({ contest_id: entry.id, sequence: entry.sequence, type: entry.type, object_id: entry.objectId }),
)

/** Locks the contest until the transaction ends, and returns its present state. */
export async function holdContest(trx: Db, id: number): Promise<Contest | undefined> {
  const [row] = await take(trx, { id, count: 0 })
  return row && toContest(row)
}

/** Appends to the log, and holds the contest from then on. */
export async function appendLog(
  store: Pick<Store, 'notify'>,
  trx: Db,
  contest: { readonly id: number; readonly publicId: string },
  entries: readonly LogEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const [row] = await take(trx, { id: contest.id, count: entries.length })
  if (!row) return
  const first = row.feed_sequence - entries.length + 1
  if (entries.length <= 4) {
    for (const [i, { type, id }] of entries.entries())
      await insertOne(trx, { id: contest.id, sequence: first + i, type, objectId: id })
  } else
    for (let at = 0; at < entries.length; at += portion) {
      const values = entries.slice(at, at + portion).map(({ type, id }, i) => ({
        contest_id: contest.id,
        sequence: first + at + i,
        type,
        object_id: id,
      }))
      await trx.insertInto('contest_log').values(values).execute()
    }
  await store.notify(trx, contestChannel, String(contest.id))
}

/** Invalidates all feed tokens: clients have objects that are now hidden from them, without an event for each. */
export async function resetFeeds(trx: Db, { id }: Pick<Contest, 'id'>): Promise<void> {
  await trx.updateTable('contest').set({ feed_epoch: sql<number>`feed_epoch + 1` }).where('id', '=', id).execute()
}

const portion = 500
