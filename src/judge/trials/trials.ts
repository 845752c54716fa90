/** Trials for callers: one call queues a program, waits for its result, and removes it again. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isForeignKeyViolation, type Store } from '../../store/store.ts'
import { maySeeJudging, requireAct } from '../access.ts'
import { features, hasFeatures } from '../features.ts'
import type { Executors } from '../judging/executors.ts'
import type { LongPolls } from '../judging/long-polls.ts'
import type { Limits } from '../limits.ts'
import { unsupportedLanguage } from '../submissions/status.ts'
import type { Submissions } from '../submissions/submissions.ts'
import { done, type TrialDraft, type TrialReport, waiting } from './trial.ts'
import type { TrialEvents } from './trial-events.ts'
import type { TrialQueue } from './trial-queue.ts'

type Needs = {
  store: Store
  clock: Clock
  limits: Limits
  submissions: Pick<Submissions, 'findOpen' | 'demandRunnable'>
  executors: Executors
  longPolls: LongPolls
  queue: TrialQueue
  events: TrialEvents
}

export type Trials = ReturnType<typeof makeTrials>

/** Compilation and runs together, without the wait for an executor. Abandoned trials are deleted after this. */
const longestMs = 120_000

export function makeTrials({ store, clock, limits, submissions, executors, longPolls, queue, events }: Needs) {
  const longestWaitMs = limits.trialWaitMs + longestMs

  async function demandRoom(trx: Db, accountId: number): Promise<void> {
    const { trialsPerAccount, trials } = limits
    const count = async (own: boolean) => {
      const query = trx.selectFrom('trial').select((eb) => eb.fn.countAll<number>().as('count'))
      return Number(
        (await query.$if(own, (each) => each.where('account_id', '=', accountId)).executeTakeFirstOrThrow()).count,
      )
    }
    const [own, all] = [await count(true), await count(false)]
    const ownMessage = `You have ${trialsPerAccount} programs running or waiting: wait for one of them to finish.`
    demand(own < trialsPerAccount, 'limited', 'own-trials', ownMessage, { retryAfterSeconds: 5 })
    demand(all < trials, 'limited', 'all-trials', busyMessage, { retryAfterSeconds: 30 })
  }

  /** Fails at once if no connected executor runs trials. Returns false for a language that none offers. */
  async function demandExecutor(language: string): Promise<boolean> {
    const connected = await executors.readConnected()
    if (!connected.languages.has(language) && connected.features.length > 0) return false
    const isServed = connected.features.some((had) => hasFeatures(had, features.trial))
    demand(
      isServed,
      'precondition',
      'no-executor',
      'No executor that can run programs is connected: submit the program, or ask an admin.',
    )
    return true
  }

  /** If the deletion fails, it is deleted later; the result is returned anyway. */
  const remove = (id: number) =>
    store.write((trx) => trx.deleteFrom('trial').where('id', '=', id).execute()).catch(() => undefined)

  /** Undefined while it waits or runs. */
  async function look(id: number): Promise<TrialReport | undefined> {
    await queue.returnExpired()
    const row = await store.db
      .selectFrom('trial')
      .select(['status', 'waits_since', 'created_at', 'report'])
      .where('id', '=', id)
      .executeTakeFirst()
    demand(row, 'not-found', 'problem-unknown', 'The problem was deleted meanwhile.')
    if (row.status === done && row.report !== null) return JSON.parse(row.report)
    const failed = 'The executor failed twice to run the program: try again, and tell an admin if it happens again.'
    demand(row.status !== done, 'unavailable', 'trial-failed', failed)
    const isLate = row.status === waiting && row.waits_since <= clock.now() - limits.trialWaitMs
    demand(!isLate, 'limited', 'executors-busy', busyMessage, { retryAfterSeconds: 10 })
    if (row.created_at <= clock.now() - longestWaitMs) throw tookTooLong()
    return undefined
  }

  return {
    queue,

    /** Runs a program as if it were submitted, with the same rights. Undefined if the client disconnects. */
    async run(actor: Actor, draft: TrialDraft, signal: AbortSignal): Promise<TrialReport | undefined> {
      requireAct(actor, 'submit')
      const problem = await submissions.findOpen(actor, draft.problemUuid)
      const { account } = actor
      const { language, content, input } = draft
      const now = clock.now()
      const isOffered = await demandExecutor(language)
      // Refuses callers above the limit without a write.
      await demandRoom(store.db, account.id)
      const id = await store
        .write(
          async (trx) => {
            await submissions.demandRunnable(trx, actor, { problem, language, now })
            await trx
              .deleteFrom('trial')
              .where('created_at', '<=', now - 2 * longestWaitMs)
              .execute()
            if (!isOffered) return undefined
            await demandRoom(trx, account.id)
            const row = await trx
              .insertInto('trial')
              .values({
                ...{ account_id: account.id, problem_id: problem.id, language, status: waiting, losses: 0 },
                ...{ content: Buffer.from(content), input: input === undefined ? null : Buffer.from(input) },
                ...{ created_at: now, waits_since: now },
              })
              .returning('id')
              .executeTakeFirstOrThrow()
            return row.id
          },
          { locks: ['judge.trials'] },
        )
        .catch((error) => {
          if (!isForeignKeyViolation(error)) throw error
          throw new Failure('not-found', 'problem-unknown', `There is no problem ${draft.problemUuid}.`)
        })
      if (id === undefined) return { result: unsupportedLanguage, compilerOutput: '', runs: [] }
      try {
        await events.publish()
        const report = await longPolls.untilFound(actor, {
          ...{ waitMs: longestWaitMs + 1_000, signal },
          look: () => look(id),
          listen: events.onChange,
        })
        if (report) queue.noteUsed(account.id, sumWall(report))
        if (!report && !signal.aborted) throw tookTooLong()
        // A checker's sources may show in the messages of its compiler.
        return report && (maySeeJudging(actor, problem) ? report : { ...report, judgeMessage: undefined })
      } finally {
        await remove(id)
        await events.publish()
      }
    },
  }
}

const sumWall = ({ runs }: TrialReport): number => runs.reduce((sum, { wallMs }) => sum + wallMs, 0)

const busyMessage = 'The executors are busy: try again in a moment, or submit.'

const tookTooLong = () =>
  new Failure(
    'unavailable',
    'trial-too-long',
    'The program was not run in time: the executors are busy, or the server is stopping. Try again.',
  )
