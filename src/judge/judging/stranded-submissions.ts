/**
 * Waiting submissions that no connected executor can judge. They are reported to the operator, since nobody else can
 * help.
 */
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'
import { type Feature, type FeatureSet, hasFeatures, namesOf } from '../features.ts'
import { submitted } from '../submissions/status.ts'
import type { Executors } from './executors.ts'

export type Stranded = { readonly count: number; readonly features: readonly Feature[] }

export type StrandedSubmissions = ReturnType<typeof makeStrandedSubmissions>

export function makeStrandedSubmissions({ store, log, executors }: { store: Store; log: Log; executors: Executors }) {
  /**
   * By the features that no connected executor has in combination. Submissions without features wait like any other.
   */
  async function find(): Promise<Stranded[]> {
    const { features } = await executors.readConnected()
    const isServed = (needs: FeatureSet) => features.some((had) => hasFeatures(had, needs))
    const rows = await store.db
      .selectFrom('submission')
      .select(['needs', (eb) => eb.fn.countAll<number>().as('count')])
      .where('status', '=', submitted)
      .where('needs', '>', 0)
      .groupBy('needs')
      .execute()
    return rows
      .filter(({ needs }) => !isServed(needs))
      .map(({ needs, count }) => ({ count: Number(count), features: namesOf(needs) }))
  }

  return {
    find,

    count: async (): Promise<number> => (await find()).reduce((sum, { count }) => sum + count, 0),

    async warn(): Promise<void> {
      for (const { count, features } of await find())
        log.warn(
          { count, features },
          'submissions wait that no connected executor can judge: start one that has these features',
        )
    },
  }
}
