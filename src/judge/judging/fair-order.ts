/**
 * The fair order of the queue: next is the oldest submission of the author of whose the fewest are being judged, so that
 * one person's hundred never hold up another's one; among equals, of the author who has waited longest (turns.ts). What is
 * judged again comes after all that people wait for.
 */
import { type SqlBool, sql } from 'kysely'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { FeatureSet } from '../features.ts'
import { executing, submitted } from '../submissions/status.ts'
import type { Rejudged } from '../submissions/turns.ts'

const isWaiting = sql<SqlBool>`status = ${sql.lit(submitted)}`

type Place = { readonly id: number; readonly author_id: number; readonly turn: number }
export type Next = { readonly id: number; readonly isRejudged: Rejudged; readonly turn: number }
type Lane = { needs: FeatureSet; isRejudged: number; busy: string }
type Find = (args: Lane & { language: string }, on: Db) => Promise<Place[]>

/** In these languages, or in any, and to problems that need one of these sets of features. */
type Among = { readonly languages: readonly string[] | undefined; readonly needs: readonly FeatureSet[] }

export function makeFairOrder({ db, engine }: Pick<Store, 'db' | 'engine'>) {
  const isPostgres = engine === 'postgres'
  const writeList = (ids: Iterable<number>) => (isPostgres ? `{${[...ids].join()}}` : `[${[...ids].join()}]`)
  const isIdle = (busy: string) =>
    isPostgres
      ? sql<SqlBool>`author_id <> all(cast(${busy} as bigint[]))`
      : sql<SqlBool>`author_id not in (select value from json_each(${busy}))`
  const firstIdle = ({ needs, isRejudged, busy }: Lane) =>
    db
      .selectFrom('submission')
      .select(['id', 'author_id', 'turn'])
      .where(isWaiting)
      .where('needs', '=', needs)
      .where('is_rejudged', '=', isRejudged)
      .where(isIdle(busy))
      .orderBy('turn')
      .orderBy('id')
      .limit(1)
  const inAny: Find = prepareQuery(db, firstIdle)
  const inLanguage: Find = prepareQuery(db, ({ language, needs, isRejudged, busy }: Parameters<Find>[0]) =>
    firstIdle({ needs, isRejudged, busy }).where('language', '=', language),
  )
  // What the author of a problem has judged again is not its authors' wish: it holds up nothing that they wait for.
  const running = prepareQuery(db, (_none: Record<never, never>) =>
    db
      .selectFrom('submission')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .select(['submission.author_id', (eb) => eb.fn.countAll<number>().as('all')])
      .select(
        sql<number>`sum(case when is_rejudged = 0 or problem.author_id = submission.author_id then 1 else 0 end)`.as(
          'wished',
        ),
      )
      .where('status', '=', sql.lit(executing))
      .groupBy('submission.author_id'),
  )

  /** The first of one author. What they have in other languages or for other executors is passed over, which their quota bounds. */
  async function findOwn(trx: Db, authorId: number, isRejudged: Rejudged, { languages, needs }: Among) {
    return trx
      .selectFrom('submission')
      .select(['id', 'author_id', 'turn'])
      .where(isWaiting)
      .where('author_id', '=', authorId)
      .where('is_rejudged', '=', isRejudged)
      .where('needs', 'in', needs)
      .$if(languages !== undefined, (query) => query.where('language', 'in', languages!))
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
  }

  /**
   * Inside the transaction that will claim it. An author of whom `most` are being judged gets no further one: an
   * executor has a place more than it has slots, so whoever comes meanwhile finds one.
   */
  return async function findNext(trx: Db, among: Among, most: number): Promise<Next | undefined> {
    if (among.needs.length === 0 || among.languages?.length === 0) return undefined
    const authors = await running({}, trx)
    for (const isRejudged of [0, 1] as const) {
      const counts = authors.map((row) => [row.author_id, Number(isRejudged ? row.all : row.wished)] as const)
      const busy: Busy = new Map(counts.filter(([, count]) => count > 0))
      const levels = [...new Set(busy.values())].filter((count) => count < most).sort((a, b) => a - b)
      const idle: (Place | undefined)[] = []
      for (const needs of among.needs) {
        for (const language of among.languages ?? ['']) {
          const find = among.languages ? inLanguage : inAny
          idle.push((await find({ isRejudged, needs, language, busy: writeList(busy.keys()) }, trx))[0])
        }
      }
      const found = firstOf(idle)
      if (found) return { ...found, isRejudged }
      for (const level of levels) {
        const own: (Place | undefined)[] = []
        for (const [author, count] of busy) if (count === level) own.push(await findOwn(trx, author, isRejudged, among))
        const next = firstOf(own)
        if (next) return { ...next, isRejudged }
      }
    }
    return undefined
  }
}

type Busy = ReadonlyMap<number, number>

const firstOf = (places: readonly (Place | undefined)[]): Place | undefined =>
  places.reduce((best, place) => (!best || (place && isBefore(place, best)) ? place : best), undefined)

const isBefore = (a: Place, b: Place): boolean => a.turn < b.turn || (a.turn === b.turn && a.id < b.id)
