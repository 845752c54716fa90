/**
 * The queue of trials: executors claim them after all submissions that somebody waits for; at most one of an account at
 * a time, and first those of accounts with the least recent use. After a lost lease a trial is requeued once; then it
 * fails.
 */
import { sql } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { generateSecret } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { makeRecentUsage } from '../../lib/scheduling/recent-usage.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { mayChangeAnyClaim, requireAct } from '../access.ts'
import { type FeatureSet, features, hasFeatures } from '../features.ts'
import { timeLimitOf } from '../judging/claim.ts'
import type { QueueHeads } from '../judging/queue-heads.ts'
import type { Limits } from '../limits.ts'
import { hashJudging } from '../problems/judging-state.ts'
import type { Example } from '../problems/problem-row.ts'
import { toText } from '../submissions/submission-row.ts'
import { type OpenExample, readOpenExamples } from '../test-cases/open-examples.ts'
import { done, running, type TrialClaim, type TrialReport, waiting } from './trial.ts'
import type { TrialEvents } from './trial-events.ts'

type Needs = { store: Store; clock: Clock; log: Log; limits: Limits; heads: QueueHeads; events: TrialEvents }

export type TrialWish = { readonly languages: readonly string[]; readonly features: FeatureSet }

export type TrialQueue = ReturnType<typeof makeTrialQueue>

/** An executor renews every 2 s. */
const leaseMs = 15_000
const mostLosses = 2
/** The least time that a claim counts, for a compilation and cancelled runs. */
const leastUsedMs = 1_000
const unclaimed = { claimed_by: null, lease: null, lease_expires_at: null }

export function makeTrialQueue({ store, clock, log, limits, heads, events }: Needs) {
  const usage = makeRecentUsage<number>(() => clock.now())

  /** The caller of an older trial has already been told that none came: it is no longer claimed. */
  const awaited = () => clock.now() - limits.trialWaitMs

  async function findNext(trx: Db, { languages, features: had }: TrialWish) {
    const busy = await trx.selectFrom('trial').select('account_id').where('status', '=', running).execute()
    const holders = new Set(busy.map(({ account_id }) => account_id))
    const rows = await trx
      .selectFrom('trial')
      .innerJoin('problem', 'problem.id', 'trial.problem_id')
      .select(['trial.id', 'trial.account_id', 'problem.needs'])
      .where('trial.status', '=', waiting)
      .where('trial.waits_since', '>', awaited())
      .where('trial.language', 'in', languages)
      .orderBy('trial.id')
      .execute()
    return rows
      .filter(({ account_id, needs }) => !holders.has(account_id) && hasFeatures(had, needs))
      .toSorted((a, b) => usage.of(a.account_id) - usage.of(b.account_id) || a.id - b.id)[0]
  }

  async function readClaim(trx: Db, id: number, held: { lease: string; leaseExpiresAt: number }): Promise<TrialClaim> {
    const row = await trx
      .selectFrom('trial')
      .innerJoin('problem', 'problem.id', 'trial.problem_id')
      .select([
        'trial.account_id',
        'trial.language',
        'trial.content',
        'trial.input',
        'trial.problem_id',
        'problem.needs',
      ])
      .select(['problem.uuid', 'problem.judging_state', 'problem.test_hash', 'problem.examples'])
      .select(['problem.time_limit_ms', 'problem.memory_limit_bytes', 'problem.time_factors'])
      .where('trial.id', '=', id)
      .executeTakeFirstOrThrow()
    const given = (JSON.parse(row.examples) as Example[]).map(toOpenExample)
    // Examples of an interactive problem show a dialogue; the interactor needs the open tests instead.
    const hasOwn = given.length > 0 && (row.needs & features.interactive) === 0
    const bounds = { most: limits.examples, bytes: 2 * limits.exampleLength }
    const readExamples = async () => (hasOwn ? given : readOpenExamples(trx, row.problem_id, bounds))
    return {
      ...{ id, ...held, language: row.language, content: toText(row.content) },
      problemUuid: row.uuid,
      judgingHash: hashJudging(row.uuid, row.judging_state, row.test_hash),
      input: row.input && toText(row.input),
      examples: row.input ? [] : await readExamples(),
      timeLimitMs: Math.min(timeLimitOf(row, limits), limits.trialTimeLimitMs),
      memoryLimitBytes: row.memory_limit_bytes,
      accountId: row.account_id,
    }
  }

  /** Requeued, or failed after the last try. */
  const afterLoss = () => ({
    ...unclaimed,
    losses: sql<number>`losses + 1`,
    waits_since: clock.now(),
    status: sql<number>`case when losses + 1 >= ${sql.lit(mostLosses)} then ${sql.lit(done)} else ${sql.lit(waiting)} end`,
  })

  async function change(actor: Actor, { id, lease }: { id: number; lease: string }, values: object): Promise<void> {
    requireAct(actor, 'judge')
    await store.write(async (trx) => {
      const changed = await trx
        .updateTable('trial')
        .set(values)
        .where('id', '=', id)
        .where('status', '=', running)
        .where('lease', '=', lease)
        .where('lease_expires_at', '>', clock.now())
        .$if(!mayChangeAnyClaim(actor), (query) => query.where('claimed_by', '=', actor.account.id))
        .returning('id')
        .executeTakeFirst()
      if (changed) return
      const row = await trx.selectFrom('trial').select('id').where('id', '=', id).executeTakeFirst()
      demand(row, 'not-found', 'trial-unknown', `Nobody waits for the trial ${id} any longer.`)
      throw new Failure('precondition', 'not-held', 'You do not hold this trial, or its lease is over: claim anew.')
    })
  }

  return {
    /** Requeues trials whose executor has died, or fails them. */
    async returnExpired(): Promise<void> {
      const now = clock.now()
      const isExpired = (db: Db) =>
        db.selectFrom('trial').select('id').where('status', '=', running).where('lease_expires_at', '<=', now)
      if ((await isExpired(store.db).limit(1).execute()).length === 0) return
      await store.write((trx) => trx.updateTable('trial').set(afterLoss()).where('id', 'in', isExpired(trx)).execute())
      await events.publish()
    },

    async claim(actor: Actor, wish: TrialWish): Promise<TrialClaim | undefined> {
      requireAct(actor, 'claim')
      if (wish.languages.length === 0) return undefined
      const query = store.db.selectFrom('trial').select('id').where('status', '=', waiting)
      if ((await query.limit(1).execute()).length === 0) return undefined
      if (await heads.isFreshWaiting(wish.languages, wish.features)) return undefined
      const lease = generateSecret()
      const leaseExpiresAt = clock.now() + leaseMs
      return store.write(
        async (trx) => {
          const next = await findNext(trx, wish)
          if (!next) return undefined
          usage.add(next.account_id, leastUsedMs)
          const values = { status: running, claimed_by: actor.account.id, lease, lease_expires_at: leaseExpiresAt }
          await trx.updateTable('trial').set(values).where('id', '=', next.id).execute()
          return readClaim(trx, next.id, { lease, leaseExpiresAt })
        },
        { locks: ['judge.trials'] },
      )
    },

    async renew(actor: Actor, id: number, lease: string): Promise<number> {
      const leaseExpiresAt = clock.now() + leaseMs
      await change(actor, { id, lease }, { lease_expires_at: leaseExpiresAt })
      return leaseExpiresAt
    },

    async finish(actor: Actor, id: number, lease: string, report: TrialReport): Promise<void> {
      await change(actor, { id, lease }, { ...unclaimed, status: done, report: JSON.stringify(report) })
      await events.publish()
    },

    /** The executor could not run it, or is stopping: another one may. */
    async fail(actor: Actor, id: number, lease: string, reason: string): Promise<void> {
      await change(actor, { id, lease }, afterLoss())
      log.warn({ trial: id, executor: actor.account?.name, reason }, 'an executor could not run a trial')
      await events.publish()
    },

    /** The executor's client has disconnected: the trial waits as before. */
    async giveBack(actor: Actor, id: number, lease: string): Promise<void> {
      await change(actor, { id, lease }, { ...unclaimed, status: waiting }).catch(() => undefined)
      await events.publish()
    },

    /** For a finished trial: its account now comes after those that have used less. */
    noteUsed: (accountId: number, ms: number): void => usage.add(accountId, ms),
  }
}

const toOpenExample = ({ input, output }: Example): OpenExample => ({
  input: Buffer.from(input),
  output: Buffer.from(output),
  arguments: null,
})
