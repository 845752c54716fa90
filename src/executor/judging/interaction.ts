/** Interaction: the program talks to the problem's checker or interactor, each in its own box. */

import { mebibyte } from '../../lib/text/bytes.ts'
import { CheckerFault } from '../checkers/checker-program.ts'
import { describeInteractor, describeKattisPartner } from '../checkers/checker-run.ts'
import { feedbackBytes, interactorOutput } from '../checkers/feedback.ts'
import { isAcceptance } from '../checkers/ruling.ts'
import { callOf, checkOutput } from './checking.ts'
import {
  didWithLess,
  isHeapExhausted,
  isOverMemory,
  isOverWhenTight,
  mayDoWithLess,
  needsTightRun,
  withPatience,
} from './memory-rules.ts'
import type { PassEnd, PassInput } from './passes.ts'
import { boundlessHeapMiB, describeProgram, type ProgramChange, withOwnFile } from './program-run.ts'
import type { TestCase, TestContext } from './test-case.ts'
import { judgePair, needsSecondRun, pairWallCapOf, type Result, result } from './verdict.ts'

type Attempt = ProgramChange & { readonly isExclusive?: boolean }
type Talk = PassEnd & { readonly resultIfOverMemory: Result }

/** The partner gets a moment more, so that of two that wait for each other the program times out. */
const partnerGraceMs = 250
/** The most that a program may send in one run. */
const mostSentBytes = 64 * mebibyte

/** Null if it was aborted. */
export async function interact(context: TestContext, test: TestCase, input: PassInput): Promise<PassEnd | null> {
  let end = await talk(context, test, input)
  const isProgramSlow = end && (end.run.stopped === 'wall' || end.run.cpuMs > context.limits.timeLimitMs)
  if (end && isProgramSlow && needsSecondRun(end.run, end.result))
    end = await talk(context, test, input, { isExclusive: !context.owner?.isBehind })
  if (end?.result === result.runtimeError && isHeapExhausted(context, end.run)) {
    const boundless = await talk(context, test, input, { heapMiB: boundlessHeapMiB })
    if (boundless && isOverMemory(context, boundless.run)) return { ...boundless, result: result.memoryLimitExceeded }
  }
  if (end && mayDoWithLess(context, end.result)) {
    const tight = await talk(context, test, input, { isTight: true })
    if (tight && didWithLess(context, tight.run, tight.result)) end = tight
  } else if (end && needsTightRun(context, end.run, end.result)) {
    const tight = await talk(withPatience(context), test, input, { isTight: true })
    if (tight && isOverWhenTight(context, tight.run)) end = { ...end, result: end.resultIfOverMemory }
  }
  if (!end || end.result !== result.ok || context.method.interactor === null || end.ruling?.score) return end
  return checkInteractorOutput(context, test, input, end)
}

async function talk(
  context: TestContext,
  test: TestCase,
  input: PassInput,
  { isExclusive = false, ...change }: Attempt = {},
): Promise<Talk | null> {
  const { interactor, checker } = context.method
  const { timeLimitMs } = context.limits
  const other = interactor ? ({ kind: 'testlib', program: interactor } as const) : checker
  if (!('program' in other) || (!interactor && other.kind !== 'kattis'))
    throw new CheckerFault('An interactive problem needs a checker of the kattis kind, or an interactor.')
  const describe = interactor ? describeInteractor : describeKattisPartner
  const partner = describe(context, callOf(context, test, input, other))
  const program = describeProgram(context, change)
  const wallMs = pairWallCapOf(timeLimitMs)
  const limits = {
    ...{ ...program.limits, wallMs, partnerMs: wallMs - program.limits.wallMs },
    outputBytes: context.mostSentBytes ?? Math.max(mostSentBytes, 2 * test.outputBytes),
  }
  const pair = await context.sandbox.runPair(
    {
      program: { ...program, limits },
      partner: { ...partner.box, limits: { ...partner.box.limits, wallMs: wallMs + partnerGraceMs } },
      mayGoOn: (exitCode) => isAcceptance(other.kind, exitCode),
    },
    { isExclusive, owner: context.owner },
  )
  const end = context.signal.aborted ? null : partner.read(pair.partner)
  if (!end) return null
  const run = withOwnFile(context, pair.program)
  const judged = { program: run, partner: end.ruling.verdict, endedFirst: pair.endedFirst }
  return {
    ...{ ...end, run, difference: null, result: judgePair(judged, timeLimitMs) },
    resultIfOverMemory: judgePair({ ...judged, program: { ...run, isOutOfMemory: true } }, timeLimitMs),
  }
}

/** An interactor that does not look at how its writing ended goes on, and its checker misses the rest. */
const isFull = (written: Uint8Array) => written.length >= feedbackBytes - 64 * 1024
const cutOutput = `The interactor's ${interactorOutput} filled the ${feedbackBytes / mebibyte} MiB that its folder holds, and may be cut.\n`

async function checkInteractorOutput(context: TestContext, test: TestCase, input: PassInput, end: PassEnd) {
  if (end.feedback!.odd.has(interactorOutput)) {
    const reason = `Its output file, ${interactorOutput}, is not a plain file.`
    return { ...end, result: result.judgeFailure, ruling: { ...end.ruling!, reason } }
  }
  const written = end.feedback!.files.get(interactorOutput) ?? new Uint8Array(0)
  const output = await context.sandbox.keep(written)
  try {
    const checking = await checkOutput(context, test, input, output)
    if (!checking) return null
    const ruling = checking.ruling ?? end.ruling!
    const judgeMessage = (isFull(written) ? cutOutput : '') + ruling.judgeMessage
    return { ...end, ...checking, ruling: { ...ruling, judgeMessage }, difference: null }
  } finally {
    output.drop()
  }
}
