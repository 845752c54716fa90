/** Who is next in the queue, for an executor that can run any language or for one that can run some. */
import { type SqlBool, sql } from 'kysely'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import { submitted } from '../submissions/status.ts'

/** No submission before this id is to be had; those after it only in one of the languages, if some are named. */
export type QueueHead = { readonly id: number; readonly languages: readonly string[] | undefined }

type Needs = { store: Store; offeredLanguages(): Promise<ReadonlySet<string>> }

/** Written out, not a parameter: only so do the engines see that the indexes of those who wait will do. */
const isWaiting = sql<SqlBool>`status = ${sql.lit(submitted)}`

export function makeQueueHeads({ store, offeredLanguages }: Needs) {
  const { db } = store
  const firstOfAll = prepareQuery(db, () =>
    db.selectFrom('submission').select('id').where(isWaiting).orderBy('id').limit(1),
  )
  const firstIn = prepareQuery(db, ({ language }: { language: string }) =>
    db.selectFrom('submission').select('id').where(isWaiting).where('language', '=', language).orderBy('id').limit(1),
  )
  const nextLanguage = prepareQuery(db, ({ after }: { after: string }) =>
    db
      .selectFrom('submission')
      .select('language')
      .where(isWaiting)
      .where('language', '>', after)
      .orderBy('language')
      .limit(1),
  )

  /** Languages in which something waits, one step in the index for each. */
  async function waitingLanguages(): Promise<string[]> {
    const found: string[] = []
    for (let after = ''; ; ) {
      const [row] = await nextLanguage({ after })
      if (!row) return found
      found.push(row.language)
      after = row.language
    }
  }

  return {
    /** What no executor offers is for anyone, who will find its language unsupported. */
    async find(languages: readonly string[] | undefined): Promise<QueueHead | undefined> {
      if (!languages) {
        const [row] = await firstOfAll({})
        return row && { id: row.id, languages: undefined }
      }
      const offered = await offeredLanguages()
      const eligible = (await waitingLanguages()).filter((name) => languages.includes(name) || !offered.has(name))
      const ids: number[] = []
      for (const language of eligible) {
        const [row] = await firstIn({ language })
        if (row) ids.push(row.id)
      }
      return ids.length > 0 ? { id: Math.min(...ids), languages: eligible } : undefined
    },

    /** The first that is to be had from there on. On PostgreSQL one that another claims this moment is passed over. */
    first: (head: number, languages: readonly string[] | undefined) =>
      db
        .selectFrom('submission')
        .select('id')
        .where(isWaiting)
        .where('id', '>=', head)
        .$if(languages !== undefined, (query) => query.where('language', 'in', languages!))
        .orderBy('id')
        .limit(1)
        .$if(store.engine === 'postgres', (query) => query.forUpdate().skipLocked()),
  }
}
