/**
 * The main loop: claim, judge, report. It waits for an unreachable judge, and reports its own failures as such. It
 * claims no more than it can start, but a long judging lets others start beside it (judging-places.ts).
 */
import type { Log } from '../lib/log.ts'
import { abortAfter } from './abort-after.ts'
import { type FailurePauses, makeBackOff, makeFailurePauses } from './back-off.ts'
import { featuresWithoutCheckers, judgingFeatures } from './judging/problem-judging.ts'
import type { SubmissionJudge } from './judging/submission-judge.ts'
import { hasSpaceForAnother, type JudgingPlace, makeJudgingPlaces } from './judging-places.ts'
import { LanguageShort } from './sandboxes/shortage.ts'
import type { JudgingCache } from './server/judging-cache.ts'
import { keepLease, type Lease } from './server/lease.ts'
import { presentReport } from './server/report-message.ts'
import { isTokenRefused, Refused, type Rpc, refusal } from './server/rpc.ts'
import { type TestCases, TestsChanged } from './server/test-cases.ts'

export type LoopNeeds = {
  readonly rpc: Rpc
  readonly judging: SubmissionJudge
  readonly testCases: TestCases
  readonly judgingCache: JudgingCache
  readonly log: Log
  readonly parallelRuns: number
  listLanguages(): readonly string[]
  /** Stops claiming; submissions being judged are finished, or given back when `deadline` is aborted. */
  readonly signal: AbortSignal
  readonly deadline: AbortSignal
  /** Gets another token if this one is refused; without it, the same one is retried. */
  renewToken?(): Promise<void>
  /**
   * A failure of this executor is reported after this pause, longer if the problem has failed before, so that another
   * may try.
   */
  readonly failurePauseMs?: number
  /** After this long another submission may start beside it. */
  readonly beginningMs?: number
}

type Claimed = {
  ID: number
  Problem: { UUID: string }
  Author?: { ID: number }
  /** The account whose share its runs use; an older judge does not send it. */
  ChargedAccount?: { ID: number }
  Content: string
  Language: string
  Lease: string
  LeaseExpiryTime: number
  /** Both are sent by judges that support more than comparing lines. */
  JudgingHash?: string
  TimeLimitInMillisecond?: number
  /** An older judge does not send these. */
  MemoryLimitInByte?: number
  TestCaseHash?: string
}

type Problem = { TimeLimitInMillisecond: number; MemoryLimitInByte: number; TestCaseHash: string }

/** How often tests are fetched again if they change meanwhile. */
const mostLooks = 5

/** Most judgings are over by then, and others beside them do not prolong them. */
const longestBeginningMs = 2_000
/**
 * Judgings open at the same time, per slot: as long as fewer authors are active, they hold up nobody else. Each waits
 * for at most seven others' runs, which is within their patience (slot-usage.ts): with more, those whose patience has
 * ended would go before newcomers.
 */
const openPerSlot = 8

const claimWaitMs = 25_000
/**
 * When the executor is stopped, the answer to a claim may be on its way: it waits this long, to give the submission
 * back.
 */
const answerGraceMs = 250

const awayMessage = 'the judge does not answer; trying again'
const refusedMessage = 'the judge does not take the token any longer; trying again'

export async function runLoop(needs: LoopNeeds): Promise<void> {
  const { rpc, log, signal } = needs
  const lastCall = abortAfter(signal, answerGraceMs)
  const running = new Set<Promise<void>>()
  const places = makeJudgingPlaces({
    beginning: needs.parallelRuns + 1,
    open: openPerSlot * needs.parallelRuns,
    hasSpace: () => hasSpaceForAnother(needs.judging.programBytes + needs.testCases.heldBytes),
  })
  let told: string | undefined
  const unreachableBackOff = makeBackOff()
  const failurePauses = makeFailurePauses(needs.failurePauseMs ?? 1_000)

  while (!signal.aborted) {
    await places.untilFree()
    if (signal.aborted) break
    const claimed = await claim(needs, lastCall).catch(async (error: unknown) => {
      if (signal.aborted) return null
      const isRefused = isTokenRefused(error)
      const message = isRefused ? refusedMessage : awayMessage
      // Each is logged once, until a claim is answered or it is the other.
      if (told !== message) log.warn({ reason: (error as Error).message }, message)
      told = message
      await unreachableBackOff.wait(signal)
      if (isRefused && !signal.aborted) await needs.renewToken?.().catch(() => undefined)
      return undefined
    })
    if (claimed === undefined) continue
    unreachableBackOff.reset()
    told = undefined
    if (!claimed) continue
    const work: Promise<void> = judgeOne(needs, claimed, failurePauses, places.begin())
      .catch((error: unknown) => log.error({ err: error, submission: claimed.ID }, 'a submission was dropped'))
      .finally(() => running.delete(work))
    running.add(work)
  }
  await Promise.all(running)
  rpc.close()
}

async function claim({ rpc, listLanguages, judging }: LoopNeeds, signal: AbortSignal): Promise<Claimed | null> {
  const FeatureList = judging.lacksCheckers ? featuresWithoutCheckers : judgingFeatures
  try {
    const answer = await rpc.call<{ Submission: Claimed }>(
      'get_and_update_first_submitted_submission_to_executing',
      { WaitMillisecond: claimWaitMs, LanguageList: listLanguages(), Order: 'fair', FeatureList },
      { signal, waitMs: claimWaitMs },
    )
    return answer.Submission
  } catch (error) {
    if (error instanceof Refused && error.code === refusal.notFound) return null
    throw error
  }
}

async function judgeOne(needs: LoopNeeds, claimed: Claimed, pauses: FailurePauses, place: JudgingPlace): Promise<void> {
  const { log } = needs
  const lease = keepLease(needs, claimed)
  const signal = AbortSignal.any([lease.signal, needs.deadline])
  const startedAt = performance.now()
  const sharing = setTimeout(place.letNextBegin, needs.beginningMs ?? longestBeginningMs)
  try {
    const { report, JudgingHash } = await examine(needs, claimed, lease, signal, place)
    await tell(needs, lease, 'report_submission', { Report: presentReport(report), JudgingHash })
    pauses.forget(claimed.Problem.UUID)
    const tookMs = Math.round(performance.now() - startedAt)
    log.info({ submission: claimed.ID, language: claimed.Language, result: report.result, tookMs }, 'judged')
  } catch (error) {
    if (lease.signal.aborted || isGone(error)) return
    if (needs.deadline.aborted) return await giveBack(needs, lease)
    if (error instanceof LanguageShort) {
      log.warn({ err: error, submission: claimed.ID }, 'a submission is given back: the machine is short of something')
      place.pause()
      await pauses.wait(claimed.Problem.UUID, needs.signal)
      return await giveBack(needs, lease)
    }
    log.error({ err: error, submission: claimed.ID }, 'a submission could not be judged')
    // Tests that keep changing cost their own submissions a try, but no pause.
    if (!(error instanceof TestsChanged)) {
      place.pause()
      await pauses.wait(claimed.Problem.UUID, needs.signal)
    }
    await tell(needs, lease, 'report_submission_failure', { Reason: reasonOf(error) })
  } finally {
    lease.end()
    clearTimeout(sharing)
    place.end()
  }
}

/** The submission waits again, and the claim does not count as a failure. */
const giveBack = (needs: LoopNeeds, lease: Lease) => tell(needs, lease, 'update_submission', { Status: 1, Result: 0 })

/** A consistent state of the problem, its judging and its tests. If they change meanwhile, it fetches them again. */
async function obtain({ rpc, testCases, judgingCache }: LoopNeeds, claimed: Claimed, signal: AbortSignal) {
  const uuid = claimed.Problem.UUID
  let hash = claimed.JudgingHash
  for (let tries = 1; ; tries++) {
    const Problem = (tries === 1 && problemOf(claimed)) || (await fetchProblem(rpc, uuid, signal))
    try {
      const state = await judgingCache.obtain({ uuid, hash }, signal)
      return { Problem, state, held: await testCases.obtain({ uuid, hash: Problem.TestCaseHash }, signal) }
    } catch (error) {
      if (!(error instanceof TestsChanged) || tries === mostLooks) throw error
      if (error.judgingHash !== undefined) hash = error.judgingHash
    }
  }
}

async function fetchProblem(rpc: Rpc, UUID: string, signal: AbortSignal): Promise<Problem> {
  return (await rpc.callUntilAnswered<{ Problem: Problem }>('get_problem', { UUID }, signal)).Problem
}

const problemOf = ({ TimeLimitInMillisecond, MemoryLimitInByte, TestCaseHash }: Claimed): Problem | null =>
  TimeLimitInMillisecond === undefined || MemoryLimitInByte === undefined || TestCaseHash === undefined
    ? null
    : { TimeLimitInMillisecond, MemoryLimitInByte, TestCaseHash }

async function examine(needs: LoopNeeds, claimed: Claimed, lease: Lease, signal: AbortSignal, place: JudgingPlace) {
  const { Problem, state, held } = await obtain(needs, claimed, signal)
  try {
    const report = await needs.judging.judge({
      language: claimed.Language,
      source: Buffer.from(claimed.Content),
      author: String((claimed.ChargedAccount ?? claimed.Author)?.ID ?? ''),
      onSlow() {
        place.pause()
        return place.resume
      },
      limits: {
        timeLimitMs: claimed.TimeLimitInMillisecond ?? Problem.TimeLimitInMillisecond,
        memoryLimitBytes: Problem.MemoryLimitInByte,
      },
      judging: state.judging,
      tests: held.tests.map(state.complete),
      signal,
      onProgress: (count) => lease.progress(count, held.tests.length),
    })
    // A judge without judging settings sends no hash.
    return { report, JudgingHash: state.judging.hash || undefined }
  } finally {
    held.release()
  }
}

/** Sends the outcome to the judge, retrying until it answers, unless the lease is lost or the deadline has passed. */
async function tell({ rpc, deadline }: LoopNeeds, lease: Lease, method: string, params: object): Promise<void> {
  const words = { ID: lease.id, Lease: lease.secret, ...params }
  lease.conclude()
  try {
    await rpc.callUntilAnswered(method, words, AbortSignal.any([lease.signal, deadline]))
  } catch (error) {
    // A retry after a lost answer is also refused: either way the submission is settled.
    if (!(error instanceof Refused && isClosed(error))) throw error
  }
}

const isClosed = (error: Refused) => error.code === refusal.precondition || error.code === refusal.notFound

/** The submission or its problem was deleted during judging. */
const isGone = (error: unknown) => error instanceof Refused && error.code === refusal.notFound

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 1_000)
