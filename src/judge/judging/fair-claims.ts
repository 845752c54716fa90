/** Claims in fair order. */
import { sql } from 'kysely'
import type { SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { generateSecret } from '../../lib/ids.ts'
import type { Store } from '../../store/store.ts'
import { hasFeatures, noFeatures } from '../features.ts'
import type { Limits } from '../limits.ts'
import type { FinishedSubmissions } from '../submissions/finished-submissions.ts'
import { executing, finished, submitted, unsupportedLanguage } from '../submissions/status.ts'
import type { SubmissionEventPublisher } from '../submissions/submission-events.ts'
import type { SubmissionQueries } from '../submissions/submission-queries.ts'
import { makeTurns } from '../submissions/turns.ts'
import { type Claim, type ClaimWish, moveBack, toClaim, unclaimed } from './claim.ts'
import type { Executors } from './executors.ts'
import { makeFairOrder } from './fair-order.ts'
import type { QueueHeads } from './queue-heads.ts'
import { storeReport } from './report.ts'
import { scoreUntested } from './scores.ts'

type Needs = {
  store: Store
  clock: Clock
  events: SubmissionEventPublisher
  limits: Limits
  finishedSubmissions: FinishedSubmissions
  executors: Executors
  heads: QueueHeads
  queries: SubmissionQueries
}

/** How many submissions in languages that no executor offers are finished in one write. */
const unknownAtOnce = 200
/** How many submissions are moved to other executors within one claim; the next claim continues. */
const movedAtOnce = 100

export function makeFairClaims({
  store,
  clock,
  events,
  limits,
  finishedSubmissions,
  executors,
  heads,
  queries,
}: Needs) {
  const findNext = makeFairOrder(store)
  const turns = makeTurns(store)

  /** In portions, so that other writes can run in between. */
  async function finishUnknown(languages: readonly string[]): Promise<void> {
    const ids = await store.write(async (trx) => {
      const rows = await trx
        .selectFrom('submission')
        .select('id')
        .where('status', '=', sql.lit(submitted))
        .where('language', 'in', languages)
        .limit(unknownAtOnce)
        .execute()
      const found = rows.map(({ id }) => id)
      if (found.length === 0) return found
      const values = { ...unclaimed, status: finished, result: unsupportedLanguage, finished_at: clock.now() }
      const changed = await trx
        .updateTable('submission')
        .set(values)
        .where('id', 'in', found)
        .where('status', '=', sql.lit(submitted))
        .returning(['id', 'contest_id'])
        .execute()
      const ended = changed.map(({ id }) => id)
      const scored = await scoreUntested(trx, ended, unsupportedLanguage)
      for (const id of ended) {
        const scores = scored.get(id)
        await storeReport(trx, id, { result: unsupportedLanguage, compilerOutput: '', tests: [], scores })
      }
      await finishedSubmissions.tell(trx, changed)
      return ended
    })
    for (const id of ids) events.publishFinished(id)
  }

  /**
   * Claims run one at a time: two at once would not see each other's choice. Submissions in a language that no executor
   * offers are finished here: they would cost executors a turn each, and anybody can make up any number of them.
   */
  return async function claimFairly(actor: SignedIn, wish: ClaimWish): Promise<Claim | undefined> {
    const { languages, features = noFeatures } = wish
    if (!(await heads.isAnyWaiting())) return undefined
    const unknown = languages ? await heads.findUnknown(languages) : []
    if (unknown.length > 0) await finishUnknown(unknown)
    const needs = await heads.listNeeds(features)
    const { slots } = await executors.readConnected()
    // If the number of slots is unknown, there is no limit per author.
    const most = limits.runningPerAuthor || slots || Number.MAX_SAFE_INTEGER
    const lease = generateSecret()
    const expiresAt = clock.now() + limits.leaseMs
    return store.write(
      async (trx) => {
        for (let moved = 0; moved <= movedAtOnce; moved++) {
          const next = await findNext(trx, { languages, needs }, most)
          if (next === undefined) return undefined
          const row = await queries.demand(next.id, trx)
          if (!hasFeatures(features, row.needs)) {
            await moveBack(trx, row)
            continue
          }
          await turns.serve(trx, next.isRejudged, next.turn)
          await trx
            .updateTable('submission')
            .set({ status: executing, claimed_by: actor.account.id, lease, lease_expires_at: expiresAt })
            .set({ finished_tests: 0, total_tests: 0 })
            .where('id', '=', next.id)
            .execute()
          return toClaim({ ...row, status: executing, lease_expires_at: expiresAt }, lease, expiresAt, limits)
        }
        return undefined
      },
      { locks: ['judge.claim'] },
    )
  }
}
