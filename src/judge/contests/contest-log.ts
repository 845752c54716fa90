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

/** What a signal of the channel says; undefined if some may have been missed. */
export function readContestSignal(text: string | undefined): { id: number; types: readonly string[] } | undefined {
  if (text === undefined) return undefined
  const [id, ...types] = text.split(' ')
  return { id: Number(id), types }
}

const typesOfSubmissions: ReadonlySet<string> = new Set<LogType>([
  'submissions',
  'judgements',
  'runs',
  'clarifications',
])

/** Whether all that changed is submissions and questions, and not the contest or its people. */
export function isOfSubmissions(text: string | undefined): boolean {
  const signal = readContestSignal(text)
  return signal !== undefined && signal.types.length > 0 && signal.types.every((type) => typesOfSubmissions.has(type))
}

const take = prepareFor((db, { id, count }: { id: number; count: number }) =>
  db
    .updateTable('contest')
    .set({ feed_sequence: sql<number>`feed_sequence + cast(${count} as bigint)` })
    .where('id', '=', id)
    .returningAll(),
)
type Entries = { id: number; sequences: readonly number[]; types: readonly string[]; ids: readonly (string | null)[] }
const insertEntries = prepareFor((db, { id, sequences, types, ids }: Entries) =>
  db
    .insertInto('contest_log')
    .values(types.map((type, i) => ({ contest_id: id, sequence: sequences[i]!, type, object_id: ids[i]! }))),
)

/**
 * Locks the contest until the transaction ends, and returns its present state. `coming` is how many entries the
 * transaction will append for certain: they get the numbers up to the returned sequence, by `appendReserved`.
 */
export async function holdContest(trx: Db, id: number, coming = 0): Promise<Contest | undefined> {
  const [row] = await take(trx, { id, count: coming })
  return row && toContest(row)
}

type Logged = Pick<Contest, 'id' | 'publicId'>

/** Appends to the log, and holds the contest from then on. */
export async function appendLog(
  store: Pick<Store, 'notify'>,
  trx: Db,
  contest: Logged,
  entries: readonly LogEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const [row] = await take(trx, { id: contest.id, count: entries.length })
  if (row) await appendReserved(store, trx, toContest(row), entries)
}

/** Appends the entries for which the contest was held: exactly as many. */
export async function appendReserved(
  store: Pick<Store, 'notify'>,
  trx: Db,
  { id, sequence }: Pick<Contest, 'id' | 'sequence'>,
  entries: readonly LogEntry[],
): Promise<void> {
  for (let at = 0; at < entries.length; at += portion) {
    const part = entries.slice(at, at + portion)
    const first = sequence - entries.length + at + 1
    const sequences = part.map((_, i) => first + i)
    await insertEntries(trx, { id, sequences, types: part.map(({ type }) => type), ids: part.map((one) => one.id) })
  }
  const types = new Set(entries.map(({ type }) => type))
  await store.notify(trx, contestChannel, [id, ...types].join(' '))
}

/** Invalidates all feed tokens: clients have objects that are now hidden from them, without an event for each. */
export async function resetFeeds(trx: Db, { id }: Pick<Contest, 'id'>): Promise<void> {
  await trx.updateTable('contest').set({ feed_epoch: sql<number>`feed_epoch + 1` }).where('id', '=', id).execute()
}

const portion = 500
