/**
 * Turns: the fair order among authors of whom equally many are being judged. An author's submissions have turns one after
 * another, and an author who comes anew goes on from the turn that was served last: so whoever has waited longest since
 * their last one is next, and of a thousand that one person hands in only the first stands before another's first. A new
 * account counts as served just now, so that nobody gets ahead by making accounts. What is judged again has turns of its own.
 */
import { sql } from 'kysely'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'

/** 1 for what is judged again. */
export type Rejudged = 0 | 1

type Wish = { authorId: number; isRejudged: Rejudged; count: number; waiting: number }

/** Whose row has the turn that was served last. */
const nobody = 0

/** Where nobody counts what waits. */
export const countless = 2 ** 40

/** For a submission that comes back since it could not be judged: whoever makes judgings fail gets no more of them than others. */
export const turnAfterLoss = sql<number>`(
  select judging_turn.turn + 1 from judging_turn
  where judging_turn.author_id = ${sql.lit(nobody)} and judging_turn.is_rejudged = submission.is_rejudged)`

/** For a submission that is judged beside its present result: after the one that was served last. */
export const turnOfRejudged = sql<number>`(
  select judging_turn.turn + 1 from judging_turn
  where judging_turn.author_id = ${sql.lit(nobody)} and judging_turn.is_rejudged = 1)`

export type Turns = ReturnType<typeof makeTurns>

export function makeTurns({ db, engine }: Pick<Store, 'db' | 'engine'>) {
  const [least, most] = engine === 'sqlite' ? ['min', 'max'] : ['least', 'greatest']

  /** Nobody is further ahead than what they have waiting: what was deleted or finished without a turn does not count. */
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
    /** So many turns for an author, who has so many waiting already; answers the first of them. */
    async take(trx: Db, wish: Wish): Promise<number> {
      const [row] = await advance(wish, trx)
      return row!.turn - wish.count + 1
    },

    /** What has this turn is being judged from now on. */
    async serve(trx: Db, isRejudged: Rejudged, turn: number): Promise<void> {
      await serve({ isRejudged, turn }, trx)
    },
  }
}
