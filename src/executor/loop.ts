/** The loop: claim, judge, report, for ever; a lost server is waited for, and a failure of ours is told as one. */
import type { Log } from '../base/log.ts'
import { abortAfter } from './abort-after.ts'
import { makeBackOff } from './back-off.ts'
import type { Judging } from './judging/judging.ts'
import { keepLease, type Lease } from './server/lease.ts'
import { presentReport } from './server/report-spelling.ts'
import { isTokenRefused, Refused, type Rpc, refusal } from './server/rpc.ts'
import type { TestCases } from './server/test-cases.ts'

export type LoopNeeds = {
  readonly rpc: Rpc
  readonly judging: Judging
  readonly testCases: TestCases
  readonly log: Log
  readonly parallelRuns: number
  listLanguages(): readonly string[]
  /** Stops claiming; what is being judged is finished, or given back when `hurry` says so. */
  readonly signal: AbortSignal
  readonly hurry: AbortSignal
  /** Gets another token where this one is refused; without it, the same one is tried again. */
  renewToken?(): Promise<void>
  /** After a failure of ours the next claim waits this long, so that another executor may try. */
  readonly failurePauseMs?: number
}

type Claimed = {
  ID: number
  Problem: { UUID: string }
  Content: string
  Language: string
  Lease: string
  LeaseExpiryTime: number
}

type Problem = { TimeLimitInMillisecond: number; MemoryLimitInByte: number; TestCaseHash: string }

const claimWaitMs = 25_000
/** When it is told to stop, a claim may be on its way back: it is waited for this long, to be given back in turn. */
const answerGraceMs = 250

const awayMessage = 'the judge does not answer; trying again'
const refusedMessage = 'the judge does not take the token any longer; trying again'

export async function runLoop(needs: LoopNeeds): Promise<void> {
  const { rpc, log, signal } = needs
  const lastCall = abortAfter(signal, answerGraceMs)
  const running = new Set<Promise<void>>()
  let isTold = false
  const away = makeBackOff()
  const trouble = makeBackOff({ firstMs: needs.failurePauseMs ?? 1_000, longestMs: 30_000 })

  while (!signal.aborted) {
    if (running.size >= needs.parallelRuns) {
      await Promise.race(running)
      continue
    }
    const claimed = await claim(needs, lastCall).catch(async (error: unknown) => {
      if (signal.aborted) return null
      const isRefused = isTokenRefused(error)
      // Whether it is refused or away: said once, until a claim has an answer again.
      if (!isTold) log.warn({ reason: (error as Error).message }, isRefused ? refusedMessage : awayMessage)
      isTold = true
      await away.wait(signal)
      if (isRefused && !signal.aborted) await needs.renewToken?.().catch(() => undefined)
      return undefined
    })
    if (claimed === undefined) continue
    away.reset()
    isTold = false
    if (!claimed) continue
    const work: Promise<void> = judgeOne(needs, claimed)
      .then(async (isFine) => {
        if (isFine) trouble.reset()
        else await trouble.wait(signal)
      })
      .catch((error: unknown) => log.error({ err: error, submission: claimed.ID }, 'a submission was dropped'))
      .finally(() => running.delete(work))
    running.add(work)
  }
  await Promise.all(running)
  rpc.close()
}

async function claim({ rpc, listLanguages }: LoopNeeds, signal: AbortSignal): Promise<Claimed | null> {
  try {
    const answer = await rpc.call<{ Submission: Claimed }>(
      'get_and_update_first_submitted_submission_to_executing',
      { WaitMillisecond: claimWaitMs, LanguageList: listLanguages() },
      { signal, waitMs: claimWaitMs },
    )
    return answer.Submission
  } catch (error) {
    if (error instanceof Refused && error.code === refusal.notFound) return null
    throw error
  }
}

/** False when the executor itself failed. */
async function judgeOne(needs: LoopNeeds, claimed: Claimed): Promise<boolean> {
  const { log } = needs
  const lease = keepLease(needs, claimed)
  const signal = AbortSignal.any([lease.signal, needs.hurry])
  const startedAt = performance.now()
  try {
    const report = await examine(needs, claimed, lease, signal)
    await tell(needs, lease, 'report_submission', { Report: presentReport(report) })
    const tookMs = Math.round(performance.now() - startedAt)
    log.info({ submission: claimed.ID, language: claimed.Language, result: report.result, tookMs }, 'judged')
    return true
  } catch (error) {
    if (lease.signal.aborted || isGone(error)) return true
    if (needs.hurry.aborted) {
      await tell(needs, lease, 'update_submission', { Status: 1, Result: 0 })
      return true
    }
    log.error({ err: error, submission: claimed.ID }, 'a submission could not be judged')
    await tell(needs, lease, 'report_submission_failure', { Reason: reasonOf(error) })
    return false
  } finally {
    lease.end()
  }
}

async function examine(needs: LoopNeeds, claimed: Claimed, lease: Lease, signal: AbortSignal) {
  const uuid = claimed.Problem.UUID
  const { Problem } = await needs.rpc.insist<{ Problem: Problem }>('get_problem', { UUID: uuid }, signal)
  const held = await needs.testCases.obtain({ uuid, hash: Problem.TestCaseHash }, signal)
  try {
    return await needs.judging.judge({
      language: claimed.Language,
      source: Buffer.from(claimed.Content),
      limits: { timeLimitMs: Problem.TimeLimitInMillisecond, memoryLimitBytes: Problem.MemoryLimitInByte },
      tests: held.tests,
      signal,
      onProgress: (count) => lease.progress(count, held.tests.length),
    })
  } finally {
    held.release()
  }
}

/** Tells the judge, however long it is away, unless the lease is lost or there is no time left. */
async function tell({ rpc, hurry }: LoopNeeds, lease: Lease, method: string, params: object): Promise<void> {
  const words = { ID: lease.id, Lease: lease.secret, ...params }
  try {
    await rpc.insist(method, words, AbortSignal.any([lease.signal, hurry]))
  } catch (error) {
    // A second try after a lost answer is refused as well: either way the matter is closed.
    if (!(error instanceof Refused && isClosed(error))) throw error
  }
}

const isClosed = (error: Refused) => error.code === refusal.precondition || error.code === refusal.notFound

/** The submission or its problem was deleted while it was judged. */
const isGone = (error: unknown) => error instanceof Refused && error.code === refusal.notFound

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 1_000)
