/** Judging: a submission is compiled once and run on test after test, up to the first that fails. */

import type { KeptFile, Sandbox } from '../sandboxes/sandbox.ts'
import { checkSource } from './compilation.ts'
import type { TestedLanguages } from './language-self-test.ts'
import { makeSubmissionCompiler } from './submission-compiler.ts'
import { type ProblemLimits, runTest, type TestCase, type TestContext, type TestResult } from './test-run.ts'
import { type Result, result } from './verdict.ts'

export type Report = {
  readonly result: Result
  readonly compilerOutput: string
  readonly tests: readonly TestResult[]
}

export type Assignment = {
  readonly language: string
  readonly source: Uint8Array
  readonly author?: string
  readonly limits: ProblemLimits
  readonly tests: readonly TestCase[]
  readonly signal: AbortSignal
  onProgress?(finishedCount: number): void
  /** Is called where its compilation takes long and waits for its turn: it needs no place of the executor meanwhile. */
  onSlow?(): void
}

export type Judging = { judge(assignment: Assignment): Promise<Report> }

export type JudgingNeeds = {
  readonly sandbox: Sandbox
  readonly languages: TestedLanguages
  readonly quickCompileSeconds?: number
}

/** Throws when the executor could not judge; a bad program never makes it throw. */
export function makeJudging({ sandbox, languages, quickCompileSeconds }: JudgingNeeds): Judging {
  const compiler = makeSubmissionCompiler(quickCompileSeconds)
  return {
    async judge(assignment) {
      const entry = languages.find(assignment.language)
      if (!entry) return { result: result.unsupportedLanguage, compilerOutput: '', tests: [] }
      const { language, prepared, runtimeBytes = 0 } = entry
      const owner = assignment.author || Symbol('a submission of an unknown author')
      const compileContext = { sandbox, prepared, owner, signal: assignment.signal }
      const { program, words } = await compiler.compile(compileContext, language, {
        author: '',
        ...assignment,
      })
      if (!program) {
        await languages.retest(language.value)
        compiler.rememberFailure(language, assignment.source, words)
        return { result: result.compileError, compilerOutput: words, tests: [] }
      }
      try {
        const context: TestContext = {
          sandbox,
          language,
          program,
          limits: assignment.limits,
          runtimeBytes,
          owner,
          signal: assignment.signal,
        }
        const tests = await runTests(context, assignment)
        const last = tests.at(-1)
        const verdict = last?.result ?? result.ok
        if (last === undefined || verdict === result.runtimeError) {
          const complaint = tests.length < 2 ? await checkSource(compileContext, language, program) : null
          if (last !== undefined || complaint !== null) await languages.retest(language.value)
          if (complaint !== null) return { result: result.compileError, compilerOutput: complaint, tests: [] }
        }
        return { result: verdict, compilerOutput: words, tests }
      } finally {
        dropQuietly(program)
      }
    },
  }
}

/**
 * Runs tests concurrently while there are slots that nobody else waits for. The order of the list decides: the first failure ends the judging, and
 * tests after it are aborted and ignored.
 */
async function runTests(context: TestContext, assignment: Assignment): Promise<TestResult[]> {
  const { tests } = assignment
  const results = new Map<number, TestResult>()
  const ahead = tests.map(() => new AbortController())
  let next = 0
  let firstFailure = tests.length

  const callOff = (from: number) => {
    for (const controller of ahead.slice(from)) controller.abort()
  }
  const work = async () => {
    while (next < firstFailure) {
      const place = next++
      const signal = AbortSignal.any([context.signal, ahead[place]!.signal])
      const outcome = await runTest({ ...context, signal }, tests[place]!).catch((error: unknown) => {
        if (ahead[place]!.signal.aborted) return null
        callOff(0)
        throw error
      })
      if (context.signal.aborted) throw new Error('The judging was called off.')
      if (!outcome) continue
      results.set(place, outcome)
      if (outcome.result !== result.ok && place < firstFailure) {
        firstFailure = place
        callOff(place + 1)
      }
      assignment.onProgress?.(results.size)
    }
  }
  const workers = await Promise.allSettled(
    Array.from({ length: Math.min(context.sandbox.slotCount, tests.length) }, work),
  )
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
  return Array.from({ length: Math.min(firstFailure + 1, tests.length) }, (_, place) => results.get(place)!)
}

function dropQuietly(program: KeptFile): void {
  try {
    program.drop()
  } catch {
    // The file is removed together with its folder when the executor stops.
  }
}
