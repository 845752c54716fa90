/**
 * The fair order of the queue: next is the oldest submission of the author of whose the fewest are being judged, so that
 * one person's hundred never hold up another's one. What is judged again comes after all that people wait for.
 */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../store/schema/schema.ts'
import { executing, submitted } from '../submissions/status.ts'

const isWaiting = sql<SqlBool>`status = ${sql.lit(submitted)}`

/**
 * Inside the transaction that will claim it. `languages`: those of them that wait; undefined for any. An author of whom
 * `most` are being judged gets no further one, even where slots are free: whoever comes meanwhile finds one.
 */
export async function findFairly(
  trx: Db,
  languages: readonly string[] | undefined,
  most: number,
): Promise<number | undefined> {
  const running = await trx
    .selectFrom('submission')
    .select(['author_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('status', '=', sql.lit(executing))
    .groupBy('author_id')
    .execute()
  const busy = running.map(({ author_id }) => author_id)
  const counts = running.map(({ author_id, count }) => ({ author: author_id, count: Number(count) }))
  for (const isRejudged of [0, 1] as const) {
    const first = (narrow: Narrow) => findFirst(trx, isRejudged, languages, narrow)
    const found = await first({ notBy: busy })
    if (found !== undefined) return found
    const few = [...new Set(counts.map(({ count }) => count))].filter((count) => count < most)
    for (const count of few.sort((a, b) => a - b)) {
      const authors = counts.filter((one) => one.count === count).map(({ author }) => author)
      const next = await first({ by: authors })
      if (next !== undefined) return next
    }
  }
  return undefined
}

type Narrow = { readonly by: readonly number[] } | { readonly notBy: readonly number[] }

/** One step in an index for each language; what the busy authors have waiting is passed over, which their quota bounds. */
async function findFirst(
  trx: Db,
  isRejudged: 0 | 1,
  languages: readonly string[] | undefined,
  narrow: Narrow,
): Promise<number | undefined> {
  const waiting = () => {
    const all = trx
      .selectFrom('submission')
      .select('id')
      .where(isWaiting)
      .where('is_rejudged', '=', sql.lit(isRejudged))
      .orderBy('id')
      .limit(1)
    if ('by' in narrow) return all.where('author_id', 'in', narrow.by)
    return narrow.notBy.length > 0 ? all.where('author_id', 'not in', narrow.notBy) : all
  }
  const rows = languages
    ? await Promise.all(languages.map((language) => waiting().where('language', '=', language).executeTakeFirst()))
    : [await waiting().executeTakeFirst()]
  const ids = rows.flatMap((row) => row?.id ?? [])
  return ids.length > 0 ? Math.min(...ids) : undefined
}
