/** The head of the queue: the next submission for an executor that can run any language, or only some. */
import { type SqlBool, sql } from 'kysely'
import { makeRotation } from '../../store/fair-order.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import { type FeatureSet, hasFeatures } from '../features.ts'
import { submitted } from '../submissions/status.ts'
import type { Executors } from './executors.ts'

/** No submission before this id can be claimed; from it on, those in one of these languages, if some are named. */
export type QueueHead = {
  readonly id: number
  readonly languages: readonly string[] | undefined
  readonly features: FeatureSet
}

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
  const firstNeeding = prepareQuery(db, ({ needs }: { needs: FeatureSet }) =>
    db.selectFrom('submission').select('id').where(isWaiting).where('needs', '=', needs).orderBy('id').limit(1),
  )
  const firstIn = prepareQuery(db, ({ needs, language }: { needs: FeatureSet; language: string }) =>
    db
      .selectFrom('submission')
      .select('id')
      .where(isWaiting)
      .where('needs', '=', needs)
      .where('language', '=', language)
      .orderBy('id')
      .limit(1),
  )
  const nextNeeds = prepareQuery(db, ({ after }: { after: number }) =>
    db.selectFrom('submission').select('needs').where(isWaiting).where('needs', '>', after).orderBy('needs').limit(1),
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

  /** Of languages: the next look goes on where this one ended. */
  const rotation = makeRotation<string>('')

  /**
   * Some of the languages in which something waits, and which neither these nor any executor's are: with one step in the
   * index for each, and so many steps, since anybody can make up any number. The next look goes on where this one ended.
   */
  async function findUnknown(languages: readonly string[]): Promise<string[]> {
    const { languages: offered } = await executors.readConnected()
    const unknown: string[] = []
    let steps = 0
    for await (const language of rotation.walk(async (after) => (await nextLanguage({ after }))[0]?.language)) {
      rotation.serve(language)
      if (!languages.includes(language) && !offered.has(language)) unknown.push(language)
      if (++steps >= languagesAtOnce) break
    }
    return unknown
  }

  /** What is needed by anything that waits, as far as these features suffice: with one step in the index for each. */
  async function listNeeds(features: FeatureSet): Promise<FeatureSet[]> {
    const found: FeatureSet[] = []
    for (let after = -1; ; ) {
      const [row] = await nextNeeds({ after })
      if (!row) return found
      after = row.needs
      if (hasFeatures(features, row.needs)) found.push(row.needs)
    }
  }

  const firstFresh = prepareQuery(db, ({ needs, language }: { needs: FeatureSet; language: string }) =>
    db
      .selectFrom('submission')
      .select('id')
      .where(isWaiting)
      .where('needs', '=', needs)
      .where('language', '=', language)
      .where('is_rejudged', '=', 0)
      .limit(1),
  )

  return {
    findUnknown,
    listNeeds,

    /** Whether anything waits that its author waits for and an executor of this kind could judge. */
    async isFreshWaiting(languages: readonly string[], features: FeatureSet): Promise<boolean> {
      for (const needs of await listNeeds(features))
        for (const language of languages) if ((await firstFresh({ needs, language })).length > 0) return true
      return false
    },

    isAnyWaiting: async (): Promise<boolean> => (await firstOfAll({})).length > 0,

    /** A language that no executor offers is given to any of them, which will report that it is unsupported. */
    async find(languages: readonly string[] | undefined, features: FeatureSet): Promise<QueueHead | undefined> {
      const eligible = languages && [...new Set([...languages, ...(await findUnknown(languages))])]
      const ids: number[] = []
      for (const needs of await listNeeds(features)) {
        for (const language of eligible ?? [undefined]) {
          const [row] = language === undefined ? await firstNeeding({ needs }) : await firstIn({ needs, language })
          if (row) ids.push(row.id)
        }
      }
      return ids.length > 0 ? { id: Math.min(...ids), languages: eligible, features } : undefined
    },

    /** The first submission from there on that can be claimed; `missing`: the features it must not need. On PostgreSQL it skips one that another transaction is claiming. */
    first: (head: number, languages: readonly string[] | undefined, missing: FeatureSet) =>
      db
        .selectFrom('submission')
        .select('id')
        .where(isWaiting)
        .where('id', '>=', head)
        .where(sql<SqlBool>`(needs & cast(${missing} as bigint)) = 0`)
        .$if(languages !== undefined, (query) => query.where('language', 'in', languages!))
        .orderBy('id')
        .limit(1)
        .$if(store.engine === 'postgres', (query) => query.forUpdate().skipLocked()),
  }
}
