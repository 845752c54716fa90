/**
 * The fair order of the queue: the oldest submission of the author with the fewest being judged is next, so that one
 * person's hundred submissions never hold up another's one; on a tie, the author who has waited longest (turns.ts).
 * Rejudgings come after all submissions that people wait for: the accounts that requested them take turns, and within
 * each the submissions' authors. A rejudging counts towards the account that requested it, not towards the author.
 */
import { type SqlBool, sql } from 'kysely'
import { findFairly, makeRotation, type Running } from '../../store/fair-order.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { FeatureSet } from '../features.ts'
import { executing, submitted } from '../submissions/status.ts'
import type { Rejudged } from '../submissions/turns.ts'

const isWaiting = sql<SqlBool>`status = ${sql.lit(submitted)}`
/** The account whose share it uses (`chargedTo` of a claim). */
const chargedId = sql<number>`case when is_rejudged = 1 then rejudged_for else author_id end`

type Place = { readonly id: number; readonly author_id: number; readonly turn: number }
export type Next = { readonly id: number; readonly isRejudged: Rejudged; readonly turn: number }
/** Either the submissions that people wait for, or one account's rejudgings. */
type Lane = { readonly isRejudged: Rejudged; readonly rejudgedFor: number }
type Counts = Running<number>

const freshLane: Lane = { isRejudged: 0, rejudgedFor: 0 }

/** In these languages or any, for problems that need one of these sets of features. */
type Among = { readonly languages: readonly string[] | undefined; readonly needs: readonly FeatureSet[] }
type Part = { needs: FeatureSet; language: string }

export function makeFairOrder({ db, engine }: Pick<Store, 'db' | 'engine'>) {
  const isPostgres = engine === 'postgres'
  const writeList = (ids: Iterable<number>) => (isPostgres ? `{${[...ids].join()}}` : `[${[...ids].join()}]`)
  const isIdle = (busy: string) =>
    isPostgres
      ? sql<SqlBool>`author_id <> all(cast(${busy} as bigint[]))`
      : sql<SqlBool>`author_id not in (select value from json_each(${busy}))`

  type Find = Part & Lane & { busy: string }
  const firstIdle = ({ needs, isRejudged, rejudgedFor, busy }: Find) =>
    db
      .selectFrom('submission')
      .select(['id', 'author_id', 'turn'])
      .where(isWaiting)
      .where('needs', '=', needs)
      .where('is_rejudged', '=', isRejudged)
      .where('rejudged_for', '=', rejudgedFor)
      .where(isIdle(busy))
      .orderBy('turn')
      .orderBy('id')
      .limit(1)
  const inAny = prepareQuery(db, firstIdle)
  const inLanguage = prepareQuery(db, (find: Find) => firstIdle(find).where('language', '=', find.language))

  type After = Part & { after: number }
  const nextRejudged = ({ needs, after }: After) =>
    db
      .selectFrom('submission')
      .select('rejudged_for')
      .where(isWaiting)
      .where('needs', '=', needs)
      .where('is_rejudged', '=', 1)
      .where('rejudged_for', '>', after)
      .orderBy('rejudged_for')
      .limit(1)
  const nextInAny = prepareQuery(db, nextRejudged)
  const nextInLanguage = prepareQuery(db, (find: After) => nextRejudged(find).where('language', '=', find.language))

  const running = prepareQuery(db, (_none: Record<never, never>) =>
    db
      .selectFrom('submission')
      .select(['author_id', chargedId.as('charged_id'), (eb) => eb.fn.countAll<number>().as('count')])
      .where('status', '=', sql.lit(executing))
      .groupBy(['author_id', chargedId]),
  )

  /** Takes turns among accounts with rejudgings. */
  const rotation = makeRotation<number>(-1)

  async function inParts<T>({ languages, needs }: Among, find: (part: Part) => Promise<readonly T[]>): Promise<T[]> {
    const found: T[] = []
    for (const one of needs)
      for (const language of languages ?? ['']) found.push(...(await find({ needs: one, language })))
    return found
  }

  /**
   * The first submission of one author. It scans past those in other languages or for other executors, a number which
   * their quota bounds.
   */
  async function findOwn(trx: Db, authorId: number, lane: Lane, { languages, needs }: Among) {
    return trx
      .selectFrom('submission')
      .select(['id', 'author_id', 'turn'])
      .where(isWaiting)
      .where('author_id', '=', authorId)
      .where('is_rejudged', '=', lane.isRejudged)
      .where('rejudged_for', '=', lane.rejudgedFor)
      .where('needs', 'in', needs)
      .$if(languages !== undefined, (query) => query.where('language', 'in', languages!))
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
  }

  /** `busy`: how many of each author's submissions are being judged. An author with `most` gets no further one. */
  async function findIn(trx: Db, lane: Lane, among: Among, busy: Counts, most: number): Promise<Next | undefined> {
    const find = among.languages ? inLanguage : inAny
    const place = await findFairly<number, Place>(busy, most, {
      findIdle: async (authors) => {
        const list = writeList(authors)
        return (await inParts(among, (part) => find({ ...part, ...lane, busy: list }, trx))).sort(comparePlaces)[0]
      },
      findOf: (author) => findOwn(trx, author, lane, among),
      isBefore: (one, other) => comparePlaces(one, other) < 0,
    })
    return place && { ...place, isRejudged: lane.isRejudged }
  }

  /** The next account after this one with a rejudging: one index step for each part. */
  async function findRejudging(trx: Db, among: Among, after: number): Promise<number | undefined> {
    const find = among.languages ? nextInLanguage : nextInAny
    const rows = await inParts(among, (part) => find({ ...part, after }, trx))
    return rows.length > 0 ? Math.min(...rows.map(({ rejudged_for }) => rejudged_for)) : undefined
  }

  /** Skips only accounts with `most` being judged, so few, however long their queues are. */
  async function findRejudged(trx: Db, among: Among, busy: Counts, charged: Counts, most: number) {
    for await (const account of rotation.walk((after) => findRejudging(trx, among, after))) {
      if ((charged.get(account) ?? 0) >= most) continue
      rotation.serve(account)
      return findIn(trx, { isRejudged: 1, rejudgedFor: account }, among, busy, Number.POSITIVE_INFINITY)
    }
    return undefined
  }

  /**
   * Must run in the transaction of the claim. An account with `most` being judged gets no further one: executors have
   * one place more than slots, so the next caller finds one free.
   */
  return async function findNext(trx: Db, among: Among, most: number): Promise<Next | undefined> {
    if (among.needs.length === 0 || among.languages?.length === 0) return undefined
    const rows = await running({}, trx)
    const charged = sumBy(rows, ({ charged_id }) => charged_id)
    return (
      (await findIn(trx, freshLane, among, charged, most)) ??
      (await findRejudged(
        trx,
        among,
        sumBy(rows, ({ author_id }) => author_id),
        charged,
        most,
      ))
    )
  }
}

function sumBy<Row extends { readonly count: number }>(rows: readonly Row[], keyOf: (row: Row) => number): Counts {
  const sums = new Map<number, number>()
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + Number(row.count))
  return sums
}

const comparePlaces = (a: Place, b: Place): number => a.turn - b.turn || a.id - b.id
