/** The head of the queue: the next submission for an executor that can run any language, or only some. */
import { type SqlBool, sql } from 'kysely'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import { submitted } from '../submissions/status.ts'
import type { Executors } from './executors.ts'

/** No submission before this id can be claimed; from it on, those in one of these languages, if some are named. */
export type QueueHead = { readonly id: number; readonly languages: readonly string[] | undefined }

type Needs = { store: Store; executors: Executors }

/** The status is a literal, not a parameter: only then do the engines see that the partial indexes over waiting submissions apply. */
const isWaiting = sql<SqlBool>`status = ${sql.lit(submitted)}`

/** A look takes about a millisecond. */
const languagesAtOnce = 100

export type QueueHeads = ReturnType<typeof makeQueueHeads>

export function makeQueueHeads({ store, executors }: Needs) {
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

  /** Where the next look for languages goes on. */
  let looked = ''

  /**
   * Some of the languages in which something waits, and which neither these nor any executor's are: with one step in the
   * index for each, and so many steps, since anybody can make up any number. The next look goes on where this one ended.
   */
  async function findUnknown(languages: readonly string[]): Promise<string[]> {
    const { languages: offered } = await executors.readConnected()
    const unknown: string[] = []
    const start = looked
    let hasTurned = false
    for (let steps = 0; steps < languagesAtOnce; steps++) {
      const [row] = await nextLanguage({ after: looked })
      looked = row?.language ?? ''
      if (!row) {
        if (hasTurned || start === '') return unknown
        hasTurned = true
      } else if (hasTurned && row.language > start) return unknown
      else if (!languages.includes(row.language) && !offered.has(row.language)) unknown.push(row.language)
    }
    return unknown
  }

  return {
    findUnknown,

    isAnyWaiting: async (): Promise<boolean> => (await firstOfAll({})).length > 0,

    /** A language that no executor offers is given to any of them, which will report that it is unsupported. */
    async find(languages: readonly string[] | undefined): Promise<QueueHead | undefined> {
      if (!languages) {
        const [row] = await firstOfAll({})
        return row && { id: row.id, languages: undefined }
      }
      const eligible = [...new Set([...languages, ...(await findUnknown(languages))])]
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
