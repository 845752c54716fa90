/**
 * Turns: the fair order among authors with equally many submissions being judged. An author's submissions get
 * consecutive turns, and an author without waiting submissions continues after the turn served last. So whoever has
 * waited longest since their last one is next, and of one person's thousand only the first precedes another's first. A
 * new account counts as just served, so that creating accounts brings no advantage. Rejudgings have turns of their own.
 */
import { sql } from 'kysely'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'

/** 1 for a rejudging. */
export type Rejudged = 0 | 1

type Wish = { authorId: number; isRejudged: Rejudged; count: number; waiting: number }

/** The row with this author holds the turn that was served last. */
const nobody = 0

/** Passed as `waiting` if nobody counts the waiting submissions. */
export const countless = 2 ** 40

/** For a submission that is requeued because judging failed: causing failures must not win anyone more judgings. */
export const turnAfterLoss = sql<number>`(
  select judging_turn.turn + 1 from judging_turn
  where judging_turn.author_id = ${sql.lit(nobody)} and judging_turn.is_rejudged = submission.is_rejudged)`

/** For a rejudging that leaves the present result in place: after the turn served last. */
export const turnOfRejudged = sql<number>`(
  select judging_turn.turn + 1 from judging_turn
  where judging_turn.author_id = ${sql.lit(nobody)} and judging_turn.is_rejudged = 1)`

export type Turns = ReturnType<typeof makeTurns>

export function makeTurns({ db, engine }: Pick<Store, 'db' | 'engine'>) {
  const [least, most] = engine === 'sqlite' ? ['min', 'max'] : ['least', 'greatest']

  /**
   * An author's turns run ahead by at most their waiting submissions: those deleted or finished without a turn do not
   * count.
   */
  const advance = prepareQuery(db, ({ authorId, isRejudged, count, waiting }: Wish) => {
    const served = db
      .selectFrom('judging_turn')
      .select(sql<number>`turn + cast(${count} as bigint)`.as('turn'))
      .where('author_id', '=', nobody)
      .where('is_rejudged', '=', isRejudged)
    const ahead = sql`${sql.raw(least!)}(judging_turn.turn + cast(${count} as bigint), excluded.turn + cast(${waiting} as bigint))`
    return db
      .insertInto('judging_turn')
      .values({ author_id: authorId, is_rejudged: isRejudged, turn: served })
      .onConflict((conflict) =>
        conflict
          .columns(['author_id', 'is_rejudged'])
          .doUpdateSet({ turn: sql<number>`${sql.raw(most!)}(${ahead}, excluded.turn - 1)` }),
      )
      .returning('turn')
  })

  const serve = prepareQuery(db, ({ isRejudged, turn }: { isRejudged: Rejudged; turn: number }) =>
    db
      .updateTable('judging_turn')
      .set({ turn })
      .where('author_id', '=', nobody)
      .where('is_rejudged', '=', isRejudged)
      .where('turn', '<', turn),
  )

  return {
    /** Reserves `count` turns for an author with `waiting` submissions; returns the first of them. */
    async take(trx: Db, wish: Wish): Promise<number> {
      const [row] = await advance(wish, trx)
      return row!.turn - wish.count + 1
    },

    /** Records that this turn is now served. */
    async serve(trx: Db, isRejudged: Rejudged, turn: number): Promise<void> {
      await serve({ isRejudged, turn }, trx)
    },
  }
}
