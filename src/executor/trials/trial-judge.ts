/**
 * Trials: runs a program on a problem's examples, or on a custom input, without a submission. Its boxes are those of
 * submissions and go after them; its output is returned, and nothing is stored.
 */
import { CheckerFault } from '../checkers/checker-program.ts'
import type { CheckerPrograms } from '../checkers/checker-programs.ts'
import { checkSource } from '../compilation/compilation.ts'
import type { SubmissionCompiler } from '../compilation/submission-compiler.ts'
import type { TestedLanguages } from '../judging/language-self-test.ts'
import { textOf } from '../judging/memory-rules.ts'
import { type HeldMethod, obtainMethod } from '../judging/methods.ts'
import type { ProblemJudging } from '../judging/problem-judging.ts'
import type { ProblemLimits } from '../judging/program-context.ts'
import { type OutputSink, runProgram } from '../judging/program-run.ts'
import { plainMethod, type TestContext, type TestResult } from '../judging/test-case.ts'
import { runTest } from '../judging/test-run.ts'
import { type Result, result } from '../judging/verdict.ts'
import type { KeptFile, RunOwner, Sandbox } from '../sandboxes/sandbox.ts'
import { LanguageShort } from '../sandboxes/shortage.ts'
import { type Capture, makeCapture } from './capture.ts'

export type TrialExample = {
  readonly input: Uint8Array
  readonly output: Uint8Array
  readonly arguments: readonly string[] | null
}

export type Trial = {
  readonly language: string
  readonly source: Uint8Array
  /** The account whose turn it takes among trials. */
  readonly account: string
  readonly limits: ProblemLimits
  readonly judging: ProblemJudging
  /** Null to use the examples. */
  readonly input: Uint8Array | null
  readonly examples: readonly TrialExample[]
  readonly signal: AbortSignal
}

export type TrialRun = {
  readonly outcome: Omit<TestResult, 'uuid'>
  readonly stdout: Uint8Array
  readonly isStdoutCut: boolean
  readonly example?: TrialExample
}

export type TrialReport = {
  readonly result: Result
  readonly compilerOutput: string
  readonly runs: readonly TrialRun[]
  /** Why the checker or interactor could not be used. */
  readonly judgeMessage?: string
}

export type TrialJudge = { run(trial: Trial): Promise<TrialReport> }

type Needs = {
  readonly sandbox: Sandbox
  readonly languages: TestedLanguages
  readonly compiler: SubmissionCompiler
  readonly programs: CheckerPrograms
}

/** For a longer compilation the author may as well submit. */
const compileSeconds = 10
/**
 * The time of all runs of a trial; examples after it are not run. With its compilation and the longest run, a trial
 * ends before the next in the queue has waited too long.
 */
const longestRunsMs = 10_000
const outputBytes = 16 * 1024 * 1024

/** Throws if this executor could not run it. */
export function makeTrialJudge({ sandbox, languages, compiler, programs }: Needs): TrialJudge {
  async function runInput(context: TestContext, capture: Capture, input: Uint8Array): Promise<TrialRun[]> {
    const file = await sandbox.keep(input)
    try {
      const ran = await runProgram(context, { path: file.path, outputBytes, openSink: () => nowhere })
      if (!ran) throw context.signal.reason
      const { run, verdict } = ran
      const figures = { cpuMs: Math.round(run.cpuMs), wallMs: Math.round(run.wallMs) }
      const { peakMemoryBytes, exitCode, signal } = run
      const outcome = { result: verdict, ...figures, peakMemoryBytes, exitCode, signal, stderr: textOf(run.stderr) }
      return [{ outcome, ...capture.take() }]
    } finally {
      file.drop()
    }
  }

  async function runExample(context: TestContext, capture: Capture, example: TrialExample): Promise<TrialRun> {
    const files: KeptFile[] = []
    try {
      for (const text of [example.input, example.output]) files.push(await sandbox.keep(text))
      const [input, output] = files as [KeptFile, KeptFile]
      const outcome = await runTest(context, {
        ...{ uuid: '', inputPath: input.path, outputPath: output.path, outputBytes: output.size },
        arguments: example.arguments,
      })
      if (!outcome) throw context.signal.reason
      return { outcome, example, ...capture.take() }
    } finally {
      for (const file of files) file.drop()
    }
  }

  async function runExamples(context: TestContext, capture: Capture, examples: readonly TrialExample[]) {
    const runs: TrialRun[] = []
    let usedMs = 0
    for (const example of examples) {
      const run = usedMs < longestRunsMs ? await runExample(context, capture, example) : notRun(example)
      usedMs += run.outcome.wallMs
      runs.push(run)
    }
    return runs
  }

  /**
   * A checker's compilation is shared by all who wait for it: it is not queued behind them, and not aborted with this
   * trial.
   */
  const holdMethod = async (trial: Trial, { author, judging }: RunOwner): Promise<HeldMethod> =>
    trial.input
      ? { method: plainMethod, release: () => undefined }
      : obtainMethod(programs, trial.judging, { owner: { author, judging }, signal: new AbortController().signal })

  return {
    async run(trial) {
      const { input, examples, source, signal, limits } = trial
      const entry = languages.find(trial.language)
      if (!entry && languages.isShort(trial.language)) throw new LanguageShort(trial.language)
      if (!entry) return { result: result.unsupportedLanguage, compilerOutput: '', runs: [] }
      const { language, prepared, runtimeBytes = 0 } = entry
      const owner: RunOwner = { author: `trial of ${trial.account}`, judging: Symbol('a trial'), isBehind: true }
      const compileContext = { sandbox, prepared, owner, signal }
      const request = { source, author: '', signal, mostSeconds: compileSeconds }
      const { program, words } = await compiler.compile(compileContext, language, request)
      if (!program) return { result: result.compileError, compilerOutput: words, runs: [] }
      let held: HeldMethod | undefined
      try {
        held = await holdMethod(trial, owner)
        const capture = makeCapture()
        const context = {
          sandbox,
          language,
          runtimeBytes,
          program,
          limits,
          signal,
          owner,
          capture,
          method: held.method,
        }
        const runs = input ? await runInput(context, capture, input) : await runExamples(context, capture, examples)
        const hasEnded = runs.some(({ outcome }) => outcome.exitCode === 0 || language.ran?.test(outcome.stderr))
        const complaint = hasEnded ? null : await checkSource(compileContext, language, program)
        if (complaint !== null) return { result: result.compileError, compilerOutput: complaint, runs: [] }
        return { result: resultOf(runs), compilerOutput: words, runs }
      } catch (error) {
        if (!(error instanceof CheckerFault)) throw error
        return { result: result.judgeFailure, compilerOutput: words, runs: [], judgeMessage: error.message }
      } finally {
        held?.release()
        program.drop()
      }
    },
  }
}

/** The output on a custom input is not compared. */
const nowhere: OutputSink = {
  write: () => undefined,
  finish: () => ({ difference: null, output: null }),
  drop: () => undefined,
}

/** The result of the first failed run; if time ran out for the remaining ones, the time limit. */
function resultOf(runs: readonly TrialRun[]): Result {
  const failed = runs.find(({ outcome }) => outcome.result !== result.ok)?.outcome.result ?? result.ok
  return failed === result.none ? result.timeLimitExceeded : failed
}

const notRun = (example: TrialExample): TrialRun => ({
  example,
  outcome: {
    ...{ result: result.none, cpuMs: 0, wallMs: 0, peakMemoryBytes: 0 },
    ...{ stderr: '', exitCode: null, signal: null },
  },
  stdout: new Uint8Array(0),
  isStdoutCut: false,
})
