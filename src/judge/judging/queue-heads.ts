/** The head of the queue: the next submission for an executor that runs any language, or only some. */
import { type SqlBool, sql } from 'kysely'
import { makeRotation } from '../../store/fair-order.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import { type FeatureSet, hasFeatures } from '../features.ts'
import { submitted } from '../submissions/status.ts'
import type { Executors } from './executors.ts'

/** Nothing before this id can be claimed; from it on, only submissions in these languages, if any are named. */
export type QueueHead = {
  readonly id: number
  readonly languages: readonly string[] | undefined
  readonly features: FeatureSet
}

type Needs = { store: Store; executors: Executors }

/**
 * The status is a literal instead of a parameter: only then do the engines use the partial indexes on waiting
 * submissions.
 */
const isWaiting = sql<SqlBool>`status = ${sql.lit(submitted)}`

/** A look-up of this many takes about a millisecond. */
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

  /** Takes turns among languages: the next look-up continues where this one ended. */
  const rotation = makeRotation<string>('')

  /**
   * Some languages of waiting submissions that neither these nor any executor offers: one index step for each, and a
   * limited number of steps, since anybody can make up any number. The next look-up continues where this one ended.
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

  /** The sets of features that waiting submissions need, as far as these features suffice: one index step for each. */
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

    /** Whether something waits that is no rejudging and that such an executor could judge. */
    async isFreshWaiting(languages: readonly string[], features: FeatureSet): Promise<boolean> {
      for (const needs of await listNeeds(features))
        for (const language of languages) if ((await firstFresh({ needs, language })).length > 0) return true
      return false
    },

    isAnyWaiting: async (): Promise<boolean> => (await firstOfAll({})).length > 0,

    /** A submission in a language that no executor offers goes to any executor, which reports it as unsupported. */
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

    /**
     * The first claimable submission from `head` on; `missing` are the features that it must not need. On PostgreSQL it
     * skips rows that another transaction is claiming.
     */
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
