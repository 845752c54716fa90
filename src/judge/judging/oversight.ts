/** The admins' view of judging: the queue, submissions being judged, and executors. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import { accountColumns, toAccount } from '../../accounts/account-row.ts'
import type { Account, Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import { requireAct } from '../access.ts'
import { type Feature, namesOf } from '../features.ts'
import { executing, submitted } from '../submissions/status.ts'
import type { Language } from './built-in-languages.ts'
import type { Executors } from './executors.ts'
import type { Stranded, StrandedSubmissions } from './stranded-submissions.ts'

export type QueueState = {
  readonly waiting: number
  /** Rejudgings among those that wait. */
  readonly rejudged: number
  readonly executing: number
  readonly oldestAt: Date | undefined
  /** Whether more wait than were counted. */
  readonly isCut: boolean
  readonly languages: readonly { readonly language: string; readonly waiting: number }[]
  /** Submissions that no connected executor can judge. */
  readonly stranded: readonly Stranded[]
}

export type ExecutorEntry = {
  readonly name: string
  readonly account: Account
  readonly languages: readonly Language[]
  readonly parallelRuns: number
  readonly features: readonly Feature[]
  readonly firstSeenAt: Date
  readonly seenAt: Date
  readonly isConnected: boolean
  /** How many are being judged under this account, by any of its executors. */
  readonly executing: number
}

/** The exact length of a longer queue is not reported: nobody needs it, and counting would delay others. */
export const mostCounted = 10_000
/**
 * A queue longer than this is counted at most once a second: a count takes milliseconds, and while such a queue grows
 * it is outdated at once.
 */
export const longQueue = 1_000
const mostExecutors = 1_000

export type Oversight = ReturnType<typeof makeOversight>

type Needs = { store: Store; clock: Clock; executors: Executors; stranded: StrandedSubmissions }

export function makeOversight({ store, clock, executors, stranded }: Needs) {
  const { db } = store
  let last: { readonly second: number; readonly state: QueueState } | undefined

  /** At most as many as there are slots; the index of leases finds them. */
  const countExecuting = () =>
    db
      .selectFrom('submission')
      .select(['claimed_by', (eb) => eb.fn.countAll<number>().as('count')])
      .where('status', '=', sql.lit(executing))
      .groupBy('claimed_by')
      .execute()

  async function countQueue(): Promise<QueueState> {
    const first = db
      .selectFrom('submission')
      .select(['language', 'is_rejudged', 'created_at'])
      .where('status', '=', sql.lit(submitted))
      .orderBy('id')
      .limit(mostCounted)
    const counting = db
      .selectFrom(first.as('first'))
      .select(['language', 'is_rejudged', (eb) => eb.fn.countAll<number>().as('count')])
      .select((eb) => eb.fn.min<number>('created_at').as('oldest'))
      .groupBy(['language', 'is_rejudged'])
      .execute()
    const [rows, executed, strandedNow] = await Promise.all([counting, countExecuting(), stranded.find()])
    const sum = (list: readonly { count: number | string }[]) => list.reduce((all, { count }) => all + Number(count), 0)
    const languages = [...Map.groupBy(rows, ({ language }) => language)].map(([language, own]) => ({
      language,
      waiting: sum(own),
    }))
    const waiting = sum(rows)
    return {
      waiting,
      rejudged: sum(rows.filter((row) => row.is_rejudged === 1)),
      executing: sum(executed),
      oldestAt: rows.length > 0 ? new Date(Math.min(...rows.map(({ oldest }) => Number(oldest)))) : undefined,
      isCut: waiting === mostCounted,
      languages: languages.sort((a, b) => b.waiting - a.waiting).slice(0, mostLanguages),
      stranded: strandedNow,
    }
  }

  /**
   * Runs outside the caller's async context, so that no cache tracks these reads and refreshes with each submission:
   * the figures are kept for their second.
   */
  const countUnobserved = AsyncLocalStorage.bind(countQueue)

  return {
    async describeQueue(actor: Actor): Promise<QueueState> {
      requireAct(actor, 'overseeJudging')
      const second = Math.floor(clock.now() / 1_000)
      const wasLong = last !== undefined && last.state.waiting > longQueue
      if (wasLong && last?.second === second) return last.state
      const state = await (wasLong ? countUnobserved() : countQueue())
      last = { second, state }
      return state
    },

    /** Last seen first. */
    async listExecutors(actor: Actor): Promise<ExecutorEntry[]> {
      requireAct(actor, 'overseeJudging')
      const rows = await db
        .selectFrom('executor')
        .innerJoin('account', 'account.id', 'executor.account_id')
        .select(accountColumns)
        .select([
          'executor.name as executor_name',
          'executor.given_name',
          'languages',
          'parallel_runs',
          'features',
          'first_seen_at',
          'seen_at',
        ])
        .where('seen_at', '>', executors.forgottenBefore())
        .orderBy('seen_at', 'desc')
        .limit(mostExecutors)
        .execute()
      const counts = new Map((await countExecuting()).map((row) => [row.claimed_by, Number(row.count)]))
      return rows.map((row) => ({
        name: row.given_name || row.executor_name,
        account: toAccount(row),
        languages: JSON.parse(row.languages) as Language[],
        parallelRuns: row.parallel_runs,
        features: namesOf(row.features),
        firstSeenAt: new Date(row.first_seen_at),
        seenAt: new Date(row.seen_at),
        isConnected: executors.isPresent(row.seen_at),
        executing: counts.get(row.account_id) ?? 0,
      }))
    },
  }
}

/** Limited, because anybody can make up names of languages. */
const mostLanguages = 50
