/** Judging: a submission is compiled once and run on its tests one after another, by its problem's judging settings. */
import { CheckerFault } from '../checkers/checker-program.ts'
import { type CheckerPrograms, makeCheckerPrograms } from '../checkers/checker-programs.ts'
import { type CompileContext, checkSource } from '../compilation/compilation.ts'
import {
  makeSubmissionCompiler,
  type ResumeJudging,
  type SubmissionCompiler,
} from '../compilation/submission-compiler.ts'
import type { Language } from '../languages/language.ts'
import type { BoxProgram, KeptFile, RunOwner, Sandbox } from '../sandboxes/sandbox.ts'
import { isMachineFault, LanguageShort } from '../sandboxes/shortage.ts'
import type { TestedLanguages } from './language-self-test.ts'
import { obtainMethod } from './methods.ts'
import { type PlannedRun, runTests } from './planned-run.ts'
import { linesJudging, type ProblemJudging } from './problem-judging.ts'
import type { ProblemLimits } from './program-context.ts'
import { describeProgram } from './program-run.ts'
import type { TestCase, TestResult } from './test-case.ts'
import { type Result, result } from './verdict.ts'

export type Report = {
  readonly result: Result
  readonly compilerOutput: string
  readonly tests: readonly TestResult[]
  /** Why the problem's checker is at fault, for its author. */
  readonly judgeMessage?: string
}

export type Assignment = {
  readonly language: string
  readonly source: Uint8Array
  /** The author whose share of slots and long compilations it uses. */
  readonly author?: string
  readonly limits: ProblemLimits
  /** Without it lines are compared, and there are no points. */
  readonly judging?: ProblemJudging
  readonly tests: readonly TestCase[]
  readonly signal: AbortSignal
  onProgress?(finishedCount: number): void
  /**
   * Called when a long compilation waits for its turn: it needs no place of the executor until the returned function
   * resolves.
   */
  onSlow?(): ResumeJudging
}

export type SubmissionJudge = {
  judge(assignment: Assignment): Promise<Report>
  /** Disk space of the programs of all submissions being judged. */
  readonly programBytes: number
  /**
   * A checker's language was unavailable because of the machine: problems with checkers are better claimed later, or by
   * others.
   */
  readonly lacksCheckers: boolean
}

export type SubmissionJudgeNeeds = {
  readonly sandbox: Sandbox
  readonly languages: TestedLanguages
  /** Shared with trials. */
  readonly compiler: SubmissionCompiler
  readonly programs: CheckerPrograms
}

/** The parts shared with trials. */
export const makeJudgingParts = (
  { sandbox, languages }: Pick<SubmissionJudgeNeeds, 'sandbox' | 'languages'>,
  quickCompileSeconds?: number,
): SubmissionJudgeNeeds => ({
  ...{ sandbox, languages },
  compiler: makeSubmissionCompiler(quickCompileSeconds),
  programs: makeCheckerPrograms({ sandbox, languages }),
})

/** Throws if the executor could not judge; a bad program or checker does not make it throw. */
export function makeSubmissionJudge({ sandbox, languages, compiler, programs }: SubmissionJudgeNeeds): SubmissionJudge {
  let programBytes = 0
  /** Languages of checkers that were unavailable. */
  const wanted = new Set<string>()

  async function runAll(
    assignment: Assignment,
    entry: { language: Language; runtimeBytes?: number },
    parts: { program: KeptFile; owner: RunOwner },
  ): Promise<PlannedRun> {
    const { judging = linesJudging, limits, tests, signal, onProgress } = assignment
    const { method, release } = await obtainMethod(programs, judging, { owner: parts.owner, signal })
    try {
      const context = { sandbox, method, limits, signal, ...entry, ...parts }
      const run = await runTests(context, judging.scoring, tests, onProgress)
      // If the toolchain of the checker's language has broken meanwhile, the checker is not at fault.
      if (run.result === result.judgeFailure) await retestCheckers(judging)
      return run
    } finally {
      release()
    }
  }
  const languagesOf = ({ checker, interactor }: ProblemJudging): string[] =>
    [checker.source, interactor].flatMap((source) => (source ? [source.language] : []))

  async function retestCheckers(judging: ProblemJudging): Promise<void> {
    for (const value of languagesOf(judging)) await languages.retest(value)
  }
  /** If the machine is at fault, it may be short of what the languages need: that is no failure to judge. */
  async function explain(error: unknown, { language, judging = linesJudging }: Assignment): Promise<unknown> {
    try {
      if (isMachineFault(error))
        for (const value of [language, ...languagesOf(judging)]) await languages.retest(value, 'now')
    } catch (found) {
      if (found instanceof LanguageShort) return found
    }
    return error
  }

  type Entry = NonNullable<ReturnType<TestedLanguages['find']>>

  async function compileAndRun(assignment: Assignment, entry: Entry, owner: RunOwner): Promise<Report> {
    const { language, prepared, runtimeBytes = 0 } = entry
    const { limits, signal, tests, judging = linesJudging } = assignment
    const describeRun = (path: string): BoxProgram => ({
      ...describeProgram({ sandbox, language, limits, signal, runtimeBytes, program: { path, size: 0, drop() {} } }),
      input: path,
    })
    const isPlain = tests.length > 0 && !judging.isInteractive && judging.passLimit === 1
    const compileContext: CompileContext = { sandbox, prepared, owner, signal, ...(isPlain && { describeRun }) }
    const { program, words } = await compiler.compile(compileContext, language, { author: '', ...assignment })
    if (!program) {
      await languages.retest(language.value)
      compiler.rememberFailure(language, assignment.source, words)
      return { result: result.compileError, compilerOutput: words, tests: [] }
    }
    programBytes += program.size
    try {
      const { result: verdict, tests: ran } = await runAll(assignment, { language, runtimeBytes }, { program, owner })
      // A program that once ended successfully, or left a traceback, is valid.
      const complaint = ran.some(({ exitCode, stderr }) => exitCode === 0 || language.ran?.test(stderr))
        ? null
        : await checkSource(compileContext, language, program)
      if (complaint !== null || verdict === result.runtimeError) await languages.retest(language.value)
      if (complaint !== null) return { result: result.compileError, compilerOutput: complaint, tests: [] }
      const fault = ran.find((test) => test.result === result.judgeFailure)
      return { result: verdict, compilerOutput: words, tests: ran, ...(fault && { judgeMessage: fault.judgeMessage! }) }
    } catch (error) {
      if (!(error instanceof CheckerFault)) throw error
      return { result: result.judgeFailure, compilerOutput: words, tests: [], judgeMessage: error.message }
    } finally {
      programBytes -= program.size
      dropQuietly(program)
    }
  }

  return {
    get programBytes() {
      return programBytes
    },
    get lacksCheckers() {
      return wanted.values().some(languages.isShort)
    },
    async judge(assignment) {
      const entry = languages.find(assignment.language)
      if (!entry && languages.isShort(assignment.language)) throw new LanguageShort(assignment.language)
      if (!entry) return { result: result.unsupportedLanguage, compilerOutput: '', tests: [] }
      const judging = Symbol('a judging')
      const endRuns = sandbox.expectRuns(judging)
      try {
        return await compileAndRun(assignment, entry, { author: assignment.author || judging, judging })
      } catch (error) {
        const reason = assignment.signal.aborted ? error : await explain(error, assignment)
        for (const value of languagesOf(assignment.judging ?? linesJudging))
          if (languages.isShort(value)) wanted.add(value)
        throw reason
      } finally {
        endRuns()
      }
    },
  }
}

function dropQuietly(program: KeptFile): void {
  try {
    program.drop()
  } catch {
    // The file is deleted with its folder when the executor stops.
  }
}
