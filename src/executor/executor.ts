/** The executor: makes its parts, connects them, and closes them when it stops. */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import { abortAfter } from './abort-after.ts'
import { makeBackOff } from './back-off.ts'
import { claimInstance } from './instance.ts'
import { type TestedLanguages, testLanguages } from './judging/language-self-test.ts'
import { judgingFeatures } from './judging/problem-judging.ts'
import { makeJudgingParts, makeSubmissionJudge } from './judging/submission-judge.ts'
import { surveyLanguages } from './languages/configuration.ts'
import type { Language } from './languages/language.ts'
import { runLoop } from './loop.ts'
import { makeBubblewrap } from './sandboxes/bubblewrap.ts'
import { lostWithoutCgroup, refuseWithoutCgroup } from './sandboxes/cgroups/cgroup-advice.ts'
import { demandIsolation } from './sandboxes/isolation.ts'
import type { Omission } from './sandboxes/omissions.ts'
import { SandboxFailure } from './sandboxes/sandbox.ts'
import { makeJudgingCache } from './server/judging-cache.ts'
import { isTokenRefused, makeRpc, Refused, type Rpc } from './server/rpc.ts'
import { makeTestCases } from './server/test-cases.ts'
import { makeTrialJudge } from './trials/trial-judge.ts'
import { runTrialLoop } from './trials/trial-loop.ts'

export type ExecutorOptions = {
  readonly serverUrl: string
  readonly token: string
  /** Gets another token if the judge refuses this one. */
  renewToken?(signal: AbortSignal): Promise<string>
  readonly log: Log
  /** Stops the executor: runs are finished, or given back after the grace period. */
  readonly signal: AbortSignal
  readonly name?: string | undefined
  /** Distinguishes it from others of its name; claimed automatically by default. */
  readonly instance?: string | undefined
  readonly parallelRuns?: number | undefined
  readonly languagesPath?: string | undefined
  /** Offers only these languages. */
  readonly only?: readonly string[] | undefined
  readonly statePath?: string | undefined
  readonly without?: readonly Omission[]
  /** False acts as if no cgroups could be created. */
  readonly useCgroups?: boolean
  readonly graceMs?: number
  readonly failurePauseMs?: number
  readonly selfTestFreshMs?: number
  /** After this long in its judging, another submission may begin as well. */
  readonly beginningMs?: number
  /** A longer compilation continues beside the slots. */
  readonly quickCompileSeconds?: number
  /**
   * Called once it is registered and about to claim, and at every change, with the languages that it claims, and those
   * unavailable because the machine is short of something.
   */
  onReady?(languages: readonly string[], short: readonly string[]): void
}

const registerEveryMs = 60_000
const notSupported = -32_601
/** Short, so that it ends quickly; an unreachable judge notices by itself. */
const closeTimeoutMs = 2_000

export async function runExecutor(options: ExecutorOptions): Promise<void> {
  const { log, signal } = options
  const survey = await surveyLanguages(options.languagesPath)
  const wanted = survey.languages.filter((language) => options.only?.includes(language.value) ?? true)
  const without = options.without ?? []
  const sandbox = makeBubblewrap({
    folders: wanted.flatMap((language) => language.folders),
    without,
    ...(options.parallelRuns !== undefined && { slotCount: options.parallelRuns }),
    ...(options.statePath !== undefined && { stateParent: options.statePath }),
    ...(options.useCgroups !== undefined && { useCgroups: options.useCgroups }),
  })
  let { token } = options
  const rpc = makeRpc({ serverUrl: options.serverUrl, token: () => token })
  const stopping = new AbortController()
  const place = claimInstance(options.serverUrl, options.name ?? '')
  try {
    await demandIsolation(sandbox, without)
    if (sandbox.cgroup === 'none') {
      if (!without.includes('limits')) throw new SandboxFailure(refuseWithoutCgroup(sandbox.lost))
      log.warn({ reason: sandbox.lost }, `no cgroup: ${lostWithoutCgroup}`)
    }
    const languages = await testLanguages(sandbox, wanted, log, options.selfTestFreshMs)
    const name = options.name ?? `${hostname()}-${place.number}`
    const instance = options.instance ?? place.id
    const register = () => registerOnce(rpc, { name, instance, languages, slotCount: sandbox.slotCount })
    const valuesOf = (list: readonly Language[]) => list.map((language) => language.value)
    const sayReady = () => options.onReady?.(valuesOf(languages.list()), valuesOf(languages.listShort()))
    const { renewToken } = options
    const renew =
      renewToken &&
      (async () => {
        token = await renewToken(signal)
        await register()
        sayReady()
      })
    if (!(await registerFirst(register, log, signal, renew))) return
    const registering = keepRegistering({ register, languages, log, signal: stopping.signal, sayReady })
    const offered = valuesOf(languages.list())
    log.info({ name, languages: offered, parallelRuns: sandbox.slotCount, cgroup: sandbox.cgroup }, 'executor ready')
    sayReady()
    const parts = makeJudgingParts({ sandbox, languages }, options.quickCompileSeconds)
    const shared = {
      ...{ rpc, log, signal, parallelRuns: sandbox.slotCount, judgingCache: makeJudgingCache({ rpc }) },
      listLanguages: () => valuesOf(languages.list()),
      deadline: abortAfter(signal, options.graceMs ?? 7_000),
    }
    const judging = runLoop({
      ...shared,
      judging: makeSubmissionJudge(parts),
      testCases: makeTestCases({ rpc, sandbox }),
      ...(renew && { renewToken: renew }),
      ...(options.failurePauseMs !== undefined && { failurePauseMs: options.failurePauseMs }),
      ...(options.beginningMs !== undefined && { beginningMs: options.beginningMs }),
    })
    await Promise.all([judging, runTrialLoop({ ...shared, trials: makeTrialJudge(parts) })])
    stopping.abort()
    await registering
    await rpc
      .call(
        'unregister_executor',
        { Name: name, InstanceID: instance },
        { signal: AbortSignal.timeout(closeTimeoutMs) },
      )
      .catch(() => undefined)
  } finally {
    stopping.abort()
    rpc.close()
    place.release()
    await sandbox.close()
  }
}

/** Returns false if it was stopped before the judge answered. */
async function registerFirst(
  register: () => Promise<void>,
  log: Log,
  signal: AbortSignal,
  renew: (() => Promise<void>) | undefined,
): Promise<boolean> {
  const unreachableBackOff = makeBackOff()
  while (!signal.aborted) {
    try {
      await register()
      return true
    } catch (error) {
      if (isTokenRefused(error) && !renew) {
        const { message } = error as Error
        throw new OperatorError(`The judge does not take this token: ${message} Give a worker account's token.`)
      }
      log.warn({ reason: (error as Error).message }, 'the judge does not answer; trying again')
      await unreachableBackOff.wait(signal)
      // Also tells the parent process, which then reports why nothing is judged.
      if (isTokenRefused(error) && !signal.aborted) await renew?.().catch(() => undefined)
    }
  }
  return false
}

type KeepNeeds = {
  register: () => Promise<void>
  languages: TestedLanguages
  log: Log
  signal: AbortSignal
  sayReady: () => void
}

/** Every minute; sooner while the machine is short of something. */
async function keepRegistering({ register, languages, log, signal, sayReady }: KeepNeeds): Promise<void> {
  const shortBackOff = makeBackOff({ firstMs: 1_000, longestMs: registerEveryMs })
  const describeShort = () =>
    languages
      .listShort()
      .map((language) => language.value)
      .join()
  let said = ''
  for (;;) {
    const short = describeShort()
    if (short !== said) {
      said = short
      if (short)
        log.warn({ languages: short }, 'the machine is short of something: these languages wait until it is not')
      else log.warn('all languages that waited for the machine are judged again')
      sayReady()
    }
    if (short) await shortBackOff.wait(signal)
    else {
      shortBackOff.reset()
      await sleep(registerEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
    if (signal.aborted) return
    try {
      await languages.retestBroken()
      await register()
    } catch (error) {
      // The main loop handles a refused token.
      if (!isTokenRefused(error)) log.warn({ reason: (error as Error).message }, 'could not register again')
    }
  }
}

type Registration = { name: string; instance: string; languages: TestedLanguages; slotCount: number }

async function registerOnce(rpc: Rpc, { name, instance, languages, slotCount }: Registration): Promise<void> {
  // Unavailable languages are registered but not claimed, so that submissions wait for them.
  const had = [...languages.list(), ...languages.listShort()]
  const list = had.map((language) => ({ Value: language.value, Name: language.name }))
  try {
    const kind = { LanguageList: list, ParallelRunCount: slotCount, FeatureList: [...judgingFeatures, 'trial'] }
    await rpc.call('register_executor', { Name: name, InstanceID: instance, ...kind })
  } catch (error) {
    if (!(error instanceof Refused && error.code === notSupported)) throw error
  }
}
