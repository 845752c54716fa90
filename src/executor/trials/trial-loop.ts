/**
 * The loop of trials, beside that of submissions: claim, run, report. A judge without trials is asked again from time
 * to time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { abortAfter } from '../abort-after.ts'
import { makeBackOff } from '../back-off.ts'
import { judgingFeatures } from '../judging/problem-judging.ts'
import type { JudgingCache } from '../server/judging-cache.ts'
import { keepLease, type Lease } from '../server/lease.ts'
import { Refused, type Rpc, refusal } from '../server/rpc.ts'
import type { TrialJudge } from './trial-judge.ts'
import { presentTrial } from './trial-message.ts'

export type TrialLoopNeeds = {
  readonly rpc: Rpc
  readonly trials: TrialJudge
  readonly judgingCache: JudgingCache
  readonly log: Log
  /** The number of boxes: trials leave one for submissions. */
  readonly parallelRuns: number
  listLanguages(): readonly string[]
  readonly signal: AbortSignal
  /** Trials that run are given back when it is aborted. */
  readonly deadline: AbortSignal
}

type Claimed = {
  ID: number
  Lease: string
  LeaseExpiryTime: number
  ProblemUUID: string
  JudgingHash: string
  Language: string
  Content: string
  Input: string | null
  ExampleList: readonly { Input: string; Output: string; ArgumentList: readonly string[] | null }[]
  TimeLimitInMillisecond: number
  MemoryLimitInByte: number
  ChargedAccount: { ID: number }
}

const claimWaitMs = 25_000
const answerGraceMs = 250
/** How often a judge without trials is asked again. */
const unknownPauseMs = 60_000
const unknownMethod = -32_601
/** A trial that waits longer for a slot fails because the executor is busy. */
const longestMs = 90_000

export async function runTrialLoop(needs: TrialLoopNeeds): Promise<void> {
  const count = Math.max(1, needs.parallelRuns - 1)
  await Promise.all(Array.from({ length: count }, () => serve(needs)))
}

async function serve(needs: TrialLoopNeeds): Promise<void> {
  const { signal, log } = needs
  const lastCall = abortAfter(signal, answerGraceMs)
  const backOff = makeBackOff()
  while (!signal.aborted) {
    try {
      const claimed = await claim(needs, lastCall)
      backOff.reset()
      if (claimed) await runOne(needs, claimed)
    } catch (error) {
      if (signal.aborted) return
      const isUnknown = error instanceof Refused && error.code === unknownMethod
      // The loop of submissions already logs that the judge is unreachable or refuses the token.
      if (!isUnknown) log.debug({ reason: (error as Error).message }, 'no trial could be claimed')
      if (isUnknown) await sleep(unknownPauseMs, undefined, { signal, ref: false }).catch(() => undefined)
      else await backOff.wait(signal)
    }
  }
}

async function claim({ rpc, listLanguages }: TrialLoopNeeds, signal: AbortSignal): Promise<Claimed | null> {
  const wish = { WaitMillisecond: claimWaitMs, LanguageList: listLanguages(), FeatureList: judgingFeatures }
  try {
    const answer = await rpc.call<{ Trial: Claimed }>('claim_trial', wish, { signal, waitMs: claimWaitMs })
    return answer.Trial
  } catch (error) {
    if (error instanceof Refused && error.code === refusal.notFound) return null
    throw error
  }
}

async function runOne(needs: TrialLoopNeeds, claimed: Claimed): Promise<void> {
  const { log, deadline } = needs
  const lease = keepLease(needs, claimed, Date.now, 'trial')
  const signal = AbortSignal.any([lease.signal, deadline, AbortSignal.timeout(longestMs)])
  try {
    const report = await examine(needs, claimed, signal)
    await tell(needs, lease, { Report: presentTrial(report) })
    log.debug({ trial: claimed.ID, language: claimed.Language, result: report.result }, 'tried')
  } catch (error) {
    // The caller has disconnected, or another executor has it.
    if (lease.signal.aborted) return
    const message = error instanceof Error ? error.message : String(error)
    log.warn({ trial: claimed.ID, reason: message }, 'a trial could not be run')
    await tell(needs, lease, { Reason: message.slice(0, 1_000) }).catch(() => undefined)
  } finally {
    lease.end()
  }
}

async function examine({ trials, judgingCache }: TrialLoopNeeds, claimed: Claimed, signal: AbortSignal) {
  const { Input, ExampleList, Language, Content } = claimed
  const state = { uuid: claimed.ProblemUUID, hash: claimed.JudgingHash }
  const { judging } = await judgingCache.obtain(state, signal)
  return trials.run({
    language: Language,
    source: Buffer.from(Content),
    account: String(claimed.ChargedAccount.ID),
    limits: { timeLimitMs: claimed.TimeLimitInMillisecond, memoryLimitBytes: claimed.MemoryLimitInByte },
    judging,
    input: Input === null ? null : Buffer.from(Input),
    examples: ExampleList.map((example) => ({
      input: Buffer.from(example.Input),
      output: Buffer.from(example.Output),
      arguments: example.ArgumentList,
    })),
    signal,
  })
}

/** If the judge is unreachable for longer, the lease has expired and another executor runs it. */
async function tell({ rpc }: TrialLoopNeeds, lease: Lease, outcome: object): Promise<void> {
  lease.conclude()
  const isOver = AbortSignal.any([lease.signal, AbortSignal.timeout(10_000)])
  try {
    await rpc.callUntilAnswered('report_trial', { ID: lease.id, Lease: lease.secret, ...outcome }, isOver)
  } catch (error) {
    const isSettled =
      error instanceof Refused && [refusal.precondition, refusal.notFound].includes(error.code as 6 | 10)
    if (!isSettled) throw error
  }
}
