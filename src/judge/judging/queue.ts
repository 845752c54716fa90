/**
 * The queue: the oldest waiting submission is claimed under a lease; the holder renews the lease, reports, or gives the
 * submission back. The queue is ordered by id, so a returned submission keeps its place. The fair order is in
 * fair-claims.ts.
 */
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { generateSecret } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { runAs } from '../../lib/scheduling/work-kind.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { mayChangeAnyClaim, requireAct } from '../access.ts'
import { isFaultShown } from '../contest-access/fault-audience.ts'
import { allFeatures, type FeatureSet, features, hasFeatures, noFeatures } from '../features.ts'
import type { Limits } from '../limits.ts'
import { countFault, hashJudging } from '../problems/judging-state.ts'
import type { FinishedSubmissions } from '../submissions/finished-submissions.ts'
import { executing, finished, judgeFailure, noResult, submitted } from '../submissions/status.ts'
import type { SubmissionEventPublisher } from '../submissions/submission-events.ts'
import { makeSubmissionQueries } from '../submissions/submission-queries.ts'
import { type SubmissionSnippet, toSnippet } from '../submissions/submission-row.ts'
import { turnAfterLoss } from '../submissions/turns.ts'
import { type Claim, type ClaimWish, moveBack, toClaim, unclaimed } from './claim.ts'
import type { Executors } from './executors.ts'
import { makeFairClaims } from './fair-claims.ts'
import { makeQueueHeads, type QueueHead } from './queue-heads.ts'
import { type Report, type StoredReport, storeReport, summarizeReport } from './report.ts'
import { makeScores, scoreUntested } from './scores.ts'

export type Progress = { readonly finishedTests: number; readonly totalTests: number }

type Needs = {
  store: Store
  clock: Clock
  log: Log
  events: SubmissionEventPublisher
  limits: Limits
  finishedSubmissions: FinishedSubmissions
  executors: Executors
}

export type Queue = ReturnType<typeof makeQueue>

/**
 * How often a submission is requeued for changed rules or tests before it costs a try, and for how many submissions
 * this is remembered.
 */
const freeReturns = 20
const mostReturned = 10_000

export function makeQueue({ store, clock, log, events, limits, finishedSubmissions, executors }: Needs) {
  const queries = makeSubmissionQueries(store)
  const heads = makeQueueHeads({ store, executors })
  const readScores = makeScores(store)
  const claimFairly = makeFairClaims({ store, clock, events, limits, finishedSubmissions, executors, heads, queries })

  type Taking = { accountId: number; lease: string; expiresAt: number; head: number; missing: FeatureSet }
  const buildTake = (
    { accountId, lease, expiresAt, head, missing }: Taking,
    languages: readonly string[] | undefined,
  ) =>
    store.db
      .updateTable('submission')
      .set({ status: executing, claimed_by: accountId, lease, lease_expires_at: expiresAt })
      .set({ finished_tests: 0, total_tests: 0 })
      .where('id', '=', heads.first(head, languages, missing))
      .returning('id')
  const takeAny = prepareQuery(store.db, (taking: Taking) => buildTake(taking, undefined))
  const findExpired = prepareQuery(store.db, ({ now }: { now: number }) =>
    store.db
      .selectFrom('submission')
      .select('id')
      .where('status', '=', sql.lit(executing))
      .where('lease_expires_at', '<=', now)
      .limit(1),
  )

  /** Undefined if another executor took it first, or if it needs features that this one lacks. */
  function take(actor: SignedIn, head: QueueHead): Promise<Claim | undefined> {
    const lease = generateSecret()
    const expiresAt = clock.now() + limits.leaseMs
    const missing = allFeatures & ~head.features
    const taking = { accountId: actor.account.id, lease, expiresAt, head: head.id, missing }
    return store.write(async (trx) => {
      const [taken] = head.languages
        ? (await trx.executeQuery(buildTake(taking, head.languages).compile())).rows
        : await takeAny(taking, trx)
      if (!taken) return undefined
      const row = await queries.demand(taken.id, trx)
      if (hasFeatures(head.features, row.needs)) return toClaim(row, lease, expiresAt, limits)
      await moveBack(trx, row)
      return undefined
    })
  }

  async function claimOldest(actor: SignedIn, { languages, features = noFeatures }: ClaimWish) {
    for (;;) {
      const head = await heads.find(languages, features)
      if (!head) return undefined
      const claim = await take(actor, head)
      if (claim) return claim
    }
  }

  /** Requeues submissions whose claims are lost; one that was lost too often is finished as a judge failure. */
  async function putBack(isLost: Expression<SqlBool>): Promise<void> {
    const rows = await store.write(async (trx) => {
      const changed = await trx
        .updateTable('submission')
        .set(afterLoss(clock.now(), limits))
        .where('status', '=', sql.lit(executing))
        .where(isLost)
        .returning(['id', 'status', 'contest_id'])
        .execute()
      const ended = changed.filter(({ status }) => status === finished)
      const ids = ended.map(({ id }) => id)
      await scoreUntested(trx, ids, judgeFailure)
      await finishedSubmissions.tell(trx, ended)
      return changed
    })
    rows.forEach(publish)
  }

  async function returnExpired(): Promise<void> {
    const now = clock.now()
    const [expired] = await findExpired({ now })
    if (expired) await putBack(sql`lease_expires_at <= ${now}`)
  }

  function publish({ id, status }: { id: number; status: number }): void {
    if (status === finished) events.publishFinished(id)
    else events.publishWaiting()
  }

  /** How often each submission was requeued because rules or tests had changed, as far as this server knows. */
  const returns = new Map<number, number>()
  function isOftenReturned(id: number): boolean {
    const count = (returns.get(id) ?? 0) + 1
    if (returns.size >= mostReturned) returns.clear()
    returns.set(id, count)
    return count > freeReturns
  }

  type Holder = { readonly id: number; readonly lease: string | undefined }

  /**
   * Changes a submission that the caller holds, in one conditional update, so that only one of two concurrent calls
   * succeeds. A given lease must be the present one; without one the caller must be the account that claimed the
   * submission, or an admin.
   */
  async function change(
    actor: Actor,
    { id, lease }: Holder,
    values: Values,
    report?: StoredReport,
    /** The judging settings that it was judged by, if known. */
    judgingHash?: string,
  ): Promise<SubmissionSnippet> {
    requireAct(actor, 'judge')
    const write = async (trx: Db) => {
      const changed = await trx
        .updateTable('submission')
        .set(values)
        .where('id', '=', id)
        .where('status', '=', executing)
        .where('lease_expires_at', '>', clock.now())
        .$if(lease !== undefined, (query) => query.where('lease', '=', lease!))
        .$if(lease === undefined && !mayChangeAnyClaim(actor), (query) =>
          query.where('claimed_by', '=', actor.account.id),
        )
        .returning(['id', 'status', 'result'])
        .executeTakeFirst()
      if (changed?.status === finished && changed.result === judgeFailure && !report)
        await scoreUntested(trx, [id], judgeFailure)
      // The contract requires error 6 for a deleted submission before the error that it is not held.
      const now = await queries.demand(id, trx)
      if (!changed) throw notHeld()
      if (judgingHash !== undefined && isScoredOtherwise(now, judgingHash)) throw new RulesChanged()
      if (report) await storeReport(trx, id, report)
      if (report?.result === judgeFailure && (await isFaultShown(trx, now))) {
        const fault = { submissionId: id, at: clock.now(), message: report.judgeMessage ?? '' }
        await countFault(trx, now.problem_id, fault)
      }
      if (now.status === finished) await finishedSubmissions.tell(trx, [now])
      return now
    }
    return toSnippet(await runAs('judging', () => store.write(write)))
  }

  return {
    returnExpired,

    /** For an account whose only executor is known to be gone: its claims need not wait for their leases to expire. */
    returnHeldBy: (accountId: number): Promise<void> => putBack(sql`claimed_by = ${accountId}`),

    async claim(actor: Actor, wish: ClaimWish): Promise<Claim | undefined> {
      requireAct(actor, 'claim')
      const claim = await runAs('judging', async () => {
        await returnExpired()
        return wish.isFair ? claimFairly(actor, wish) : claimOldest(actor, wish)
      })
      if (claim) events.publishProgress(claim.submission.id)
      return claim
    },

    async renew(actor: Actor, id: number, lease: string, progress: Partial<Progress>): Promise<number> {
      const leaseExpiresAt = clock.now() + limits.leaseMs
      await change(
        actor,
        { id, lease },
        {
          lease_expires_at: leaseExpiresAt,
          ...(progress.finishedTests !== undefined && { finished_tests: progress.finishedTests }),
          ...(progress.totalTests !== undefined && { total_tests: progress.totalTests }),
        },
      )
      if (progress.finishedTests !== undefined) events.publishProgress(id)
      return leaseExpiresAt
    },

    /** The submission returns to its old place in the queue, and the attempt does not count as a loss. */
    async giveBack(actor: Actor, holder: Holder): Promise<SubmissionSnippet> {
      const snippet = await change(actor, holder, { ...unclaimed, status: submitted, result: noResult })
      events.publishWaiting()
      return snippet
    },

    /**
     * A reported judge failure is the fault of the problem's checker or interactor: it is final, and counted. A report
     * whose points follow rules or tests that have changed since is discarded, and the submission is judged again. That
     * is nobody's failure and costs no try, unless it happens often: then the rules never settle, or an executor never
     * reads them.
     */
    async finish(
      actor: Actor,
      holder: Holder,
      result: number,
      report?: Report,
      judgingHash?: string,
    ): Promise<SubmissionSnippet> {
      requireAct(actor, 'judge')
      const scores = await runAs('judging', () => readScores(holder.id, result, report?.tests))
      const values = {
        ...unclaimed,
        status: finished,
        result,
        finished_at: clock.now(),
        score: scores?.score ?? null,
        maximum_score: scores?.maximumScore ?? null,
        ...(report && summarizeReport(report)),
      }
      try {
        const snippet = await change(actor, holder, values, report && { ...report, scores }, judgingHash)
        returns.delete(holder.id)
        events.publishFinished(holder.id)
        return snippet
      } catch (error) {
        if (!(error instanceof RulesChanged)) throw error
        const again = { ...unclaimed, status: submitted, result: noResult, turn: turnAfterLoss }
        const snippet = await change(actor, holder, isOftenReturned(holder.id) ? afterLoss(clock.now(), limits) : again)
        publish(snippet)
        return snippet
      }
    },

    /**
     * The executor could not judge it: the submission is requeued, or finished as a judge failure after the last try.
     */
    async fail(actor: Actor, id: number, lease: string, reason: string): Promise<SubmissionSnippet> {
      const snippet = await change(actor, { id, lease }, afterLoss(clock.now(), limits))
      log.warn({ submission: id, executor: actor.account?.name, reason }, 'an executor could not judge a submission')
      publish(snippet)
      return snippet
    },

    /** Refuses an impossible transition; for an unknown submission error 6 comes first. */
    async refuse(actor: Actor, id: number): Promise<never> {
      requireAct(actor, 'judge')
      await queries.demand(id)
      throw new Failure(
        'precondition',
        'transition-denied',
        'From executing a submission goes back to submitted with Result 0, or on to finished with a Result; nothing else.',
      )
    },
  }
}

type Values = Record<string, unknown>

/** The points of the report would mix two sets of rules. */
class RulesChanged extends Error {}

type Judged = {
  readonly needs: FeatureSet
  readonly problem_uuid: string
  readonly judging_state: string
  readonly test_hash: string
}

const isScoredOtherwise = ({ needs, problem_uuid, judging_state, test_hash }: Judged, judgingHash: string): boolean =>
  (needs & features.score) !== 0 && hashJudging(problem_uuid, judging_state, test_hash) !== judgingHash

function afterLoss(now: number, { losses }: Limits) {
  const isLast = sql`losses + 1 >= ${losses}`
  return {
    ...unclaimed,
    losses: sql<number>`losses + 1`,
    turn: turnAfterLoss,
    status: sql<number>`case when ${isLast} then ${sql.lit(finished)} else ${sql.lit(submitted)} end`,
    result: sql<number>`case when ${isLast} then ${sql.lit(judgeFailure)} else ${sql.lit(noResult)} end`,
    finished_at: sql<number | null>`case when ${isLast} then cast(${now} as bigint) end`,
  }
}

const notHeld = () =>
  new Failure(
    'precondition',
    'not-held',
    'You do not hold this submission: it is not executing, or its lease is over or another’s. Claim anew.',
  )
