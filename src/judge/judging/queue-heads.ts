/** The head of the queue: the next submission for an executor that can run any language, or only some. */
import { type SqlBool, sql } from 'kysely'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import { submitted } from '../submissions/status.ts'

/** No submission before this id can be claimed; from it on, those in one of these languages, if some are named. */
export type QueueHead = { readonly id: number; readonly languages: readonly string[] | undefined }

type Needs = { store: Store; offeredLanguages(): Promise<ReadonlySet<string>> }

/** The status is a literal, not a parameter: only then do the engines see that the partial indexes over waiting submissions apply. */
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

  /** Finds the languages in which something waits with one step in the index for each. */
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
    /** A language that no executor offers is given to any of them, which will report that it is unsupported. */
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

    /** The first submission from there on that can be claimed. On PostgreSQL it skips one that another transaction is claiming. */
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
